import { HorariumError } from '@horarium/core';
import type { ApiServer } from '../../adapters/restify/api-server.ts';

/**
 * Opens the port.
 * @returns the URL that the service answers at: `http://127.0.0.1:8080`.
 * @throws HorariumError `unavailable` with the reason why it cannot.
 */
export async function listen(server: ApiServer, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    return await server.listen(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? undefined : reasons[code];
    if (reason === undefined) throw error;
    throw new HorariumError('unavailable', `Horarium cannot listen on port ${port} of ${host}: ${reason}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already; --port or HORARIUM_PORT chooses another port',
  EACCES: 'only root may listen on ports that low; --port or HORARIUM_PORT chooses another port',
  EADDRNOTAVAIL: 'this machine does not have that address; --host or HORARIUM_HOST chooses another one',
  ENOTFOUND: 'there is no host of that name; --host or HORARIUM_HOST chooses another one',
  EAI_AGAIN: 'there is no host of that name; --host or HORARIUM_HOST chooses another one',
};

/** Returns the URL by which programs on this machine reach a service that may listen on every address. */
export function localAddress(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
