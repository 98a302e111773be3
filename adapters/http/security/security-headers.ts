/**
 * The headers of every response: browsers must not guess its type, frame it, run it, store it or give it to other
 * sites.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** The security headers where the client's connection is TLS. */
export const transportHeaders: Readonly<Record<string, string>> = {
  ...securityHeaders,
  'Strict-Transport-Security': 'max-age=31536000',
};
