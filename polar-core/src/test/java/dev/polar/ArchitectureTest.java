package dev.polar;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.polar.server.RoleService;
import jakarta.ws.rs.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Which package may know which. */
@AnalyzeClasses(packages = "dev.polar", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String[] HTTP = {"jakarta.ws.rs..", "jakarta.servlet..", "java.net.http..", "org.apache.hc.."};

    @ArchTest
    static final ArchRule packages_depend_on_each_other_one_way =
            slices().matching("dev.polar.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule the_process_knows_its_roles_by_their_interface_alone =
            knowsOnly("server", "security", "topology", "wire");

    @ArchTest
    static final ArchRule the_rollout_server_knows_nothing_of_a_gateways_inside =
            knowsOnly("rollout", "server", "security", "events", "topology", "wire", "trajectory", "plugin");

    @ArchTest
    static final ArchRule the_gateway_knows_all_but_the_rollout_server = knowsOnly(
            "gateway",
            "server",
            "security",
            "events",
            "topology",
            "wire",
            "plugin",
            "proxy",
            "inference",
            "capture",
            "trajectory",
            "evaluation");

    @ArchTest
    static final ArchRule the_proxy_knows_the_record_and_the_engines =
            knowsOnly("proxy", "server", "continuation", "capture", "inference", "plugin", "topology", "wire");

    @ArchTest
    static final ArchRule continuation_knows_the_record_and_the_engines =
            knowsOnly("continuation", "capture", "inference", "topology", "wire");

    @ArchTest
    static final ArchRule engines_are_talked_to_without_knowing_who_asks =
            knowsOnly("inference", "capture", "server", "plugin", "topology", "wire");

    @ArchTest
    static final ArchRule trajectories_know_the_record = knowsOnly("trajectory", "capture", "wire");

    @ArchTest
    static final ArchRule the_record_knows_nobody = knowsOnly("capture", "topology", "wire");

    @ArchTest
    static final ArchRule events_know_the_roles = knowsOnly("events", "server", "wire");

    @ArchTest
    static final ArchRule secrets_know_nobody = knowsOnly("security");

    @ArchTest
    static final ArchRule the_topology_knows_the_wire = knowsOnly("topology", "wire");

    @ArchTest
    static final ArchRule the_wire_knows_nobody = knowsOnly("wire");

    @ArchTest
    static final ArchRule record_and_trajectories_know_nothing_of_http = noClasses()
            .that()
            .resideInAnyPackage("dev.polar.capture..", "dev.polar.trajectory..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(HTTP);

    @ArchTest
    static final ArchRule nobody_knows_the_dashboard = noClasses()
            .that()
            .resideOutsideOfPackage("dev.polar.dashboard..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.polar.dashboard..");

    @ArchTest
    static final ArchRule resources_leave_sql_to_services = noClasses()
            .that()
            .areAnnotatedWith(Path.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "org.jdbi..");

    @ArchTest
    static final ArchRule stores_know_neither_services_nor_http = noClasses()
            .that()
            .haveSimpleNameEndingWith("Store")
            .and()
            .resideInAPackage("dev.polar.rollout..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(HTTP)
            .orShould()
            .dependOnClassesThat()
            .haveSimpleNameEndingWith("Ledger");

    @ArchTest
    static final ArchRule nobody_depends_on_a_resource =
            noClasses().should().dependOnClassesThat().areAnnotatedWith(Path.class);

    @ArchTest
    static final ArchRule role_services_are_named_by_their_role =
            classes().that().implement(RoleService.class).should().haveSimpleNameEndingWith("Service");

    private static ArchRule knowsOnly(String name, String... others) {
        var allowed = Stream.concat(Stream.of(name, "spi"), Arrays.stream(others))
                .map(other -> "dev.polar." + other + "..")
                .toArray(String[]::new);
        return classes()
                .that()
                .resideInAPackage("dev.polar." + name + "..")
                .should()
                .onlyDependOnClassesThat(JavaClass.Predicates.resideOutsideOfPackage("dev.polar..")
                        .or(JavaClass.Predicates.resideInAnyPackage(allowed)));
    }
}
