package dev.polar.server;

import java.util.TreeMap;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.PathItem;

/** Documents the paths that clients use, without the roles' bases; a path that both roles have keeps the rollout server's text. */
public class OpenApiPaths implements OASFilter {
    @Override
    public void filterOpenAPI(OpenAPI document) {
        if (document.getPaths() == null || document.getPaths().getPathItems() == null) {
            return;
        }
        var outside = new TreeMap<String, PathItem>();
        // "-gateway" sorts before "-rollout", which therefore has the last word.
        new TreeMap<>(document.getPaths().getPathItems()).forEach((path, item) -> outside.put(outside(path), item));
        var paths = OASFactory.createPaths();
        outside.forEach(paths::addPathItem);
        document.setPaths(paths);
    }

    private static String outside(String path) {
        for (var role : Role.values()) {
            var base = "/" + role.base();
            if (path.equals(base)) {
                return "/";
            }
            if (path.startsWith(base + "/")) {
                return path.substring(base.length());
            }
        }
        return path;
    }
}
