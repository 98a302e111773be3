import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { sourceRoot } from '../../house/source-files.ts';
import { bundleCore } from '../../support/packages/bundle-core.ts';
import { interleaved } from '../harness/rounds.ts';
import type { Report } from '../results.ts';

export const name = 'import of the core by a program that embeds it';
const rounds = 15;

/** Measures how long a new process takes to import the core as it is published, as it is compiled, and what it needs. */
export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  try {
    await bundleCore(join(folder, 'core'));
    symlinkSync(join(sourceRoot, 'node_modules'), join(folder, 'node_modules'));
    const entry = (path: string) => pathToFileURL(join(folder, 'core/dist', path)).href;
    const medians = await interleaved(rounds, {
      core: () => timeToImport([entry('index.js')]),
      ports: () => timeToImport([entry('index.js'), entry('node/index.js')]),
      compiled: () => timeToImport(['@horarium/core']),
      dependencies: () => timeToImport(['yup', 'croner', 'temporal-polyfill']),
    });
    report.figure('import of @horarium/core, as it is published', medians.core, 'ms', { max: 80 });
    report.figure('import of @horarium/core and @horarium/core/node', medians.ports, 'ms');
    report.figure('import of @horarium/core as the compiler writes it, a file for each module', medians.compiled, 'ms');
    report.figure('baseline: import of yup, croner and temporal-polyfill', medians.dependencies, 'ms');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Imports the modules in a process of its own. @returns the milliseconds that the imports took. */
async function timeToImport(modules: readonly string[]): Promise<number> {
  const imports = modules.map((module) => `await import(${JSON.stringify(module)});`).join(' ');
  const code = `const start = performance.now(); ${imports} console.log(performance.now() - start);`;
  const line = ['--input-type=module', '-e', code];
  const { stdout } = await promisify(execFile)(process.execPath, line, { cwd: sourceRoot });
  return Number(stdout);
}
