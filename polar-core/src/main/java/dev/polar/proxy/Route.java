package dev.polar.proxy;

/**
 * A request's path, taken apart.
 *
 * @param token of {@code /s/{token}/…}, or null
 * @param path the rest, with a leading slash
 */
record Route(String token, String path) {
    static Route of(String path) {
        if (!path.startsWith("/s/")) {
            return new Route(null, path);
        }
        int end = path.indexOf('/', 3);
        if (end < 0) {
            return new Route(path.substring(3), "/");
        }
        int rest = end;
        // a base address that ends with a slash doubles it
        while (rest + 1 < path.length() && path.charAt(rest + 1) == '/') {
            rest++;
        }
        return new Route(path.substring(3, end), path.substring(rest));
    }
}
