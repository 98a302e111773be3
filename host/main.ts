import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Beside the compiled files: as trustworthy as they are, and gone with them. Where it cannot be written all goes on.
enableCompileCache(join(import.meta.dirname, '..', 'cache'));

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const { runCli } = await import('./cli/program.ts');
const { processIo } = await import('./cli/process-io.ts');
process.exitCode = await runCli(processIo());
