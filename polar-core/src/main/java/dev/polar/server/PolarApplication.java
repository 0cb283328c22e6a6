package dev.polar.server;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** All resources and providers of the WAR. */
@ApplicationPath("/")
public class PolarApplication extends Application {}
