import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { oldNode } from '../support/program/old-node.ts';

const dist = join(import.meta.dirname, '../..');
const sentence = /Horarium needs Node 24 or newer; this is Node \d+\.\d+\.\d+\./;

describe('an unsupported Node', () => {
  let node: string;
  before(function () {
    node = oldNode() ?? this.skip();
  });

  const runOldNode = (...line: readonly string[]) => {
    const { status, stdout, stderr, signal } = spawnSync(node, line, { cwd: dist, encoding: 'utf8' });
    return { status, stdout, stderr, signal };
  };
  /** Runs a program with the old Node, which must be refused in the sentence instead of crashing. */
  const expectRefused = (program: string, ...line: readonly string[]) => {
    const { stderr, status, signal } = runOldNode(join(dist, program), ...line);
    expect({ program, status, signal }, stderr).to.deep.equal({ program, status: 1, signal: null });
    expect(stderr).to.match(sentence);
    return stderr;
  };
  /** Imports modules into one process of the old Node; each must fail with the sentence, and none crash. */
  const expectAllRefused = (modules: readonly string[]) => {
    const program = `for (const name of ${JSON.stringify(modules)})
      console.log(await import(name).then(() => 'It was loaded.', (error) => error.message));`;
    const { stdout, ...ended } = runOldNode('--input-type=module', '-e', program);
    expect(ended, stdout).to.deep.equal({ status: 0, signal: null, stderr: '' });
    const outcomes = stdout.trimEnd().split('\n');
    expect(outcomes.filter((outcome) => !sentence.test(outcome))).to.deep.equal([]);
    expect(outcomes).to.have.length(modules.length);
  };

  it('is refused by the service in one sentence', () => {
    expect(expectRefused('host/main.js', 'config').trimEnd().split('\n')).to.have.length(1);
  });

  it('is refused by every entry point of the core', () => {
    expectAllRefused(['', '/node', '/plugin', '/contracts', '/store'].map((entry) => `@horarium/core${entry}`));
  });

  it('is refused by every entry point of the package', () => {
    expectAllRefused(['adapters/mikro-orm', 'host', 'host/http'].map((folder) => join(dist, folder, 'index.js')));
  });

  it('is refused where a program imports the store, a plugin or the HTTP API', () => {
    const adapters = ['mikro-orm/open-store', 'http/api', 'restify/api-server'].map((file) => `adapters/${file}`);
    const plugins = ['executor-native', 'event-source-changes-table', 'format-json'].map(
      (name) => `plugins/${name}/plugin`,
    );
    expectAllRefused([...adapters, ...plugins].map((file) => join(dist, `${file}.js`)));
  });

  it('is refused by the tests, the benches and the tools', () => {
    const tools = ['make-migration', 'write-documents'].map((name) => `support/tools/${name}`);
    for (const file of ['bench/main', 'e2e/fuzz', 'e2e/soak', ...tools]) expectRefused(`test/${file}.js`);
    expectAllRefused([join(dist, 'test/support/mocha/global-fixtures.js')]);
  });
});

describe('engines of the packages', () => {
  it('name the oldest supported Node', () => {
    for (const path of ['package.json', 'core/package.json'])
      expect(JSON.parse(readFileSync(join(dist, '..', path), 'utf8')).engines, path).to.deep.equal({ node: '>=24' });
  });
});
