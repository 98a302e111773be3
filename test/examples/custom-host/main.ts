/** A service whose vault gets its keys from a key-management service, so that none is stored on this machine. */
import { once } from 'node:events';
import { NodeVault } from '@horarium/core/node';
import { ContainerModule, httpModule, listen, openHost, prepareStore, readSettings, serviceIds } from 'horarium/host';

/** Stands for the request to the key-management service: keys of 32 bytes in base64, newest first. */
const fetchKeys = async (): Promise<string> => Buffer.alloc(32, 'stands for a key').toString('base64');

const vault = new ContainerModule(({ rebind }) => {
  rebind(serviceIds.vault).toResolvedValue(async () => new NodeVault(await fetchKeys()));
});

const { config } = await readSettings();
await using host = await openHost(config, { modules: [vault, httpModule()] });
const { firstUser } = await prepareStore(host);
if (firstUser?.password) console.log(`The first user is ${firstUser.login}, with the password ${firstUser.password}`);
const core = await host.get(serviceIds.core);
await core.start();
console.log(`listening on ${await listen(host)}/api/v1`);
await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
await core.stop(config.shutdown_grace);
