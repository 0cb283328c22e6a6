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
        return end < 0 ? new Route(path.substring(3), "/") : new Route(path.substring(3, end), path.substring(end));
    }
}
