package dev.polar.plugin;

import dev.polar.spi.ExtensionException;
import dev.polar.wire.Binder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pf4j.ExtensionPoint;

/** Who claims which name, at one moment. Immutable once built: the registry replaces it whole. */
final class Catalog {
    /** Who claims a name; {@code plugin} is null for what is built in. */
    record Owner(LoadedPlugin plugin, ExtensionPoint extension) {
        String title() {
            return plugin == null ? "the server itself" : "plugin " + plugin.id() + " " + plugin.version();
        }
    }

    private final Map<Kind, TreeMap<String, List<Owner>>> owners = new EnumMap<>(Kind.class);

    Catalog(List<LoadedPlugin.Claim> builtIns, List<LoadedPlugin> plugins) {
        for (var kind : Kind.values()) {
            owners.put(kind, new TreeMap<>());
        }
        builtIns.forEach(claim -> add(null, claim));
        plugins.forEach(plugin -> plugin.claims().forEach(claim -> add(plugin, claim)));
    }

    private void add(LoadedPlugin plugin, LoadedPlugin.Claim claim) {
        for (var name : claim.names()) {
            owners.get(claim.kind())
                    .computeIfAbsent(name, unclaimed -> new ArrayList<>())
                    .add(new Owner(plugin, claim.extension()));
        }
    }

    /** @throws ExtensionException where nobody claims the name, or more than one */
    Owner find(Kind kind, String name) {
        var claims = owners.get(kind).get(name);
        if (claims == null) {
            throw new ExtensionException(
                    ExtensionException.Category.REQUEST, Binder.unknown(kind.title(), name, names(kind)));
        }
        if (claims.size() > 1) {
            throw new ExtensionException(ExtensionException.Category.REQUEST, conflict(kind, name, claims));
        }
        return claims.getFirst();
    }

    SortedSet<String> names(Kind kind) {
        return new TreeSet<>(owners.get(kind).keySet());
    }

    /** What is wrong with the names that {@code plugin} claims (null: those built in); null where nothing is. */
    String conflictsOf(LoadedPlugin plugin) {
        var conflicts = new ArrayList<String>();
        owners.forEach((kind, names) -> names.forEach((name, claims) -> {
            if (claims.size() > 1 && claims.stream().anyMatch(owner -> owner.plugin() == plugin)) {
                conflicts.add(conflict(kind, name, claims));
            }
        }));
        return conflicts.isEmpty() ? null : String.join("; ", conflicts);
    }

    private static String conflict(Kind kind, String name, List<Owner> claims) {
        return kind.title() + " '" + name + "' is claimed by "
                + String.join(" and by ", claims.stream().map(Owner::title).toList())
                + ": remove one of them, or name it in plugins.disabled";
    }
}
