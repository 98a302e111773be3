// Starts on any Node that knows modules: nothing that an older one lacks may be imported before its version is checked.
import module from 'node:module';
import { join } from 'node:path';
import { isSupportedNode, unsupportedNode } from './node-version.ts';

if (isSupportedNode) await run();
else {
  console.error(`${unsupportedNode}. The command "horarium" and "npm start" bring their own.`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  // Commands start sooner with the code that was compiled before; the service would keep 8 MB of it as long as it runs.
  // Beside the compiled files it is as trustworthy as they are, and deleted with them. Where it cannot be written,
  // everything is compiled.
  if (!process.argv.includes('serve')) module.enableCompileCache(join(import.meta.dirname, '..', 'cache'));

  // A reader that has seen enough, such as `head`, is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });

  const { runCli } = await import('./cli/program.ts');
  const { processIo } = await import('./cli/process-io.ts');
  process.exitCode = await runCli(processIo());
}
