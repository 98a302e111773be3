import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Commands start sooner with what was compiled before; the service would hold all of it, 8 MB, as long as it runs.
// Beside the compiled files it is as trustworthy as they are, and gone with them. Where it cannot be written all goes on.
if (!process.argv.includes('serve')) enableCompileCache(join(import.meta.dirname, '..', 'cache'));

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const { runCli } = await import('./cli/program.ts');
const { processIo } = await import('./cli/process-io.ts');
process.exitCode = await runCli(processIo());
