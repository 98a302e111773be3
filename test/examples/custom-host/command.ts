/** The whole `horarium` command, with a vault that gets its keys from a key-management service. */
import { NodeVault } from '@horarium/core/node';
import { ContainerModule, processIo, runCli, serviceIds } from 'horarium/host';

/** Stands for the request to the key-management service: keys of 32 bytes in base64, newest first. */
const fetchKeys = async (): Promise<string> => Buffer.alloc(32, 'stands for a key').toString('base64');

const vault = new ContainerModule(({ rebind }) => {
  rebind(serviceIds.vault).toResolvedValue(async () => new NodeVault(await fetchKeys()));
});
process.exitCode = await runCli({ ...processIo(), modules: [vault] });
