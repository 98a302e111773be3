import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interleaved } from '../harness/rounds.ts';
import type { Report } from '../results.ts';

export const name = 'import of the core by a program that embeds it';
const rounds = 15;

/** Measures how long a new process takes to import the core, and its dependencies alone. */
export async function run(report: Report): Promise<void> {
  const medians = await interleaved(rounds, {
    core: () => timeToImport(['@horarium/core']),
    ports: () => timeToImport(['@horarium/core', '@horarium/core/node']),
    dependencies: () => timeToImport(['yup', 'croner', 'temporal-polyfill']),
  });
  report.figure('import of @horarium/core', medians.core, 'ms', { max: 80 });
  report.figure('import of @horarium/core and @horarium/core/node', medians.ports, 'ms');
  report.figure('baseline: import of yup, croner and temporal-polyfill', medians.dependencies, 'ms');
}

/** Imports the modules in a process of its own. @returns the milliseconds that the imports took. */
async function timeToImport(modules: readonly string[]): Promise<number> {
  const imports = modules.map((module) => `await import(${JSON.stringify(module)});`).join(' ');
  const code = `const start = performance.now(); ${imports} console.log(performance.now() - start);`;
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd });
  return Number(stdout);
}
