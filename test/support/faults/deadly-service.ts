/** The whole command on a vault that kills the process when it decrypts the secret `poison`, while its folder has a file `deadly`. */
import { existsSync } from 'node:fs';
import { NodeVault } from '@horarium/core/node';
import { ContainerModule, processIo, runCli, serviceIds } from 'horarium/host';

class DeadlyVault extends NodeVault {
  override decrypt(ciphertext: string, context: string): string {
    const plain = super.decrypt(ciphertext, context);
    if (plain === 'poison' && existsSync('deadly')) process.kill(process.pid, 'SIGKILL');
    return plain;
  }
}

// Read here, because the command removes it from the environment.
const key = process.env['HORARIUM_VAULT_KEY'] as string;
const vault = new ContainerModule(({ rebind }) => {
  rebind(serviceIds.vault).toResolvedValue(async () => new DeadlyVault(key));
});
process.exitCode = await runCli({ ...processIo(), modules: [vault] });
