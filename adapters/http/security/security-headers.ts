/** Sent with every answer: nothing of it is to be guessed at, framed, cached by others or run. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Sent where the client's connection is TLS. */
export const transportHeaders: Readonly<Record<string, string>> = {
  ...securityHeaders,
  'Strict-Transport-Security': 'max-age=31536000',
};
