/** A certificate and its private key, both in PEM. */
export interface Tls {
  readonly certificate: string;
  readonly key: string;
}

/**
 * What OpenSSL may negotiate: TLS 1.3, and of 1.2 what has forward secrecy and authenticated encryption, as Mozilla's
 * intermediate configuration. Node's own list has ciphers with neither.
 */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

/** Returns the options that let a server or a secure context of Node present a certificate. */
export function secureContext({ certificate, key }: Tls) {
  return { cert: certificate, key, ciphers, minVersion: 'TLSv1.2' } as const;
}
