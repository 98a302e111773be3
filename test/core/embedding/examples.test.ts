import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sourceFiles, sourceRoot } from '../../house/source-files.ts';

/** Runs an example until it has written a line that matches, then ends it by SIGTERM. */
async function runExample(name: string, pattern: RegExp) {
  const program = spawn(process.execPath, [join(import.meta.dirname, `../../examples/embedding/${name}.js`)]);
  let [out, err] = ['', ''];
  program.stderr.on('data', (data) => {
    err += data;
  });
  program.stdout.on('data', (data) => {
    out += data;
    if (pattern.test(out)) program.kill('SIGTERM');
  });
  const code = await new Promise((resolve) => program.on('close', (code, signal) => resolve(code ?? signal)));
  return { code, out, err };
}

describe('The examples of a program that embeds the core', () => {
  it('run a function every second, and print each change of a Task', async () => {
    const { code, out, err } = await runExample('recurring-function', / fulfilled succeeded in time\n/);
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.match(/^\S+Z open \n\S+Z running \n\S+Z fulfilled succeeded in time\n/m);
  });

  it('save an App, a company and a RunTemplate, and print the output of each job', async () => {
    const { code, out, err } = await runExample('records', /all there\n/);
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.match(/^(\S+Z fulfilled(_late)? shelf 7: all there\n)+$/);
  });

  it('import only the core and Node, and the first of them has fifteen lines of code at most', () => {
    const examples = ['recurring-function', 'records'].map((name) => `test/examples/embedding/${name}.ts`);
    const files = sourceFiles().filter(({ path }) => examples.includes(path));
    expect(files).to.have.length(2);
    expect(new Set(files.flatMap(({ imports }) => imports))).to.deep.equal(
      new Set(['@horarium/core', '@horarium/core/node']),
    );
    const first = readFileSync(join(sourceRoot, 'test/examples/embedding/recurring-function.ts'), 'utf8');
    expect(first.split('\n').filter((line) => line.trim() !== '').length).to.be.at.most(15);
  });
});
