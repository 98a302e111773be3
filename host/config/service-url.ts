import type { Config } from './settings.ts';

/** Returns the URL at which programs reach a service with these settings, without a path. */
export function serviceUrlOf({
  public_url,
  host,
  port,
  tls_cert,
}: Pick<Config, 'public_url' | 'host' | 'port' | 'tls_cert'>): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return public_url ?? localAddress(`${tls_cert === null ? 'http' : 'https'}://${name}:${port}`);
}

/** Returns the URL at which programs on this machine reach a service that may listen on every address. */
export function localAddress(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
