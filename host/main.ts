// This file runs on any Node that supports modules, so it imports nothing that an old one lacks before the version is
// checked.
import { writeSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { isSupportedNode, unsupportedNode } from './node-version.ts';
import { keepYoungGenerationSmall } from './serve/young-generation.ts';

if (isSupportedNode) await run();
else {
  console.error(unsupportedNode);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  // The compile cache lets commands start sooner; the service and agents do without, because they would keep 8 MB of it
  // as long as they run. The cache lies beside the compiled files: it is as trustworthy as they are, and deleted with them. Where
  // it cannot be written, everything is compiled.
  if (process.argv.includes('serve') || process.argv[2] === 'agent') keepYoungGenerationSmall();
  else module.enableCompileCache(join(import.meta.dirname, '..', 'cache'));

  // A reader that closes the pipe early, such as `head`, is no failure, except of a copy.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' && process.argv[2] !== 'backup') process.exit(0);
    writeSync(2, `Standard output cannot be written (${code}): what was written is not whole.\n`);
    process.exit(1);
  });

  const { runCli } = await import('./cli/program.ts');
  const { processIo } = await import('./cli/process-io.ts');
  process.exitCode = await runCli(processIo());
}
