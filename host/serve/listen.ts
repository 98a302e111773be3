import { HorariumError } from '@horarium/core';
import { localAddress } from '../config/service-url.ts';
import type { Host } from '../host.ts';
import { checkJobsAsRoot } from '../jobs-as-root.ts';
import { logLines } from '../log-lines.ts';
import { serviceIds } from '../service-ids.ts';

/**
 * Opens the port of the settings, and notes the address that jobs report to. Warns where jobs run as root.
 * @returns the URL that the service answers at: `http://127.0.0.1:8080`.
 * @throws HorariumError `unavailable` with the reason why it cannot.
 */
export async function listen(host: Host): Promise<string> {
  const config = await host.get(serviceIds.config);
  const { host: name, port, public_url } = config;
  const address = await host.get(serviceIds.address);
  const server = await host.get(serviceIds.server);
  try {
    const url = await server.listen(port, name);
    address.url = public_url ?? localAddress(url);
    const warning = checkJobsAsRoot(config);
    if (warning !== null) logLines(await host.get(serviceIds.log)).jobsAsRoot(warning);
    return url;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? undefined : reasons[code];
    if (reason === undefined) throw error;
    throw new HorariumError('unavailable', `Horarium cannot listen on port ${port} of ${name}: ${reason}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already; --port or HORARIUM_PORT chooses another port',
  EACCES: 'only root may listen on ports that low; --port or HORARIUM_PORT chooses another port',
  EADDRNOTAVAIL: 'this machine does not have that address; --host or HORARIUM_HOST chooses another one',
  ENOTFOUND: 'there is no host of that name; --host or HORARIUM_HOST chooses another one',
  EAI_AGAIN: 'there is no host of that name; --host or HORARIUM_HOST chooses another one',
};
