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

  /** Runs the old Node, which must be refused in the sentence instead of crashing. */
  const refuses = (line: readonly string[]) => {
    const { status, stderr, signal } = spawnSync(node, line, { cwd: dist, encoding: 'utf8' });
    expect([line, status, signal], stderr).to.deep.equal([line, 1, null]);
    expect(stderr).to.match(sentence);
    return stderr;
  };

  it('is refused by the service in one sentence', () => {
    const stderr = refuses([join(dist, 'host/main.js'), 'config']);
    expect(stderr.trimEnd().split('\n')).to.have.length(1);
  });

  it('is refused by every entry point of the core', () => {
    for (const entry of ['', '/node', '/plugin', '/contracts', '/store'])
      refuses(['--input-type=module', '-e', `await import('@horarium/core${entry}')`]);
  });

  it('is refused by every entry point of the package', () => {
    for (const file of ['adapters/mikro-orm', 'host', 'host/http']) refuses([join(dist, file, 'index.js')]);
  });

  it('is refused where a program imports the store, a plugin or the HTTP API', () => {
    for (const file of ['mikro-orm/open-store', 'http/api', 'restify/api-server'])
      refuses([join(dist, 'adapters', `${file}.js`)]);
    for (const name of ['executor-native', 'event-source-changes-table', 'format-json'])
      refuses([join(dist, 'plugins', name, 'plugin.js')]);
  });

  it('is refused by the tests, the benches and the tools', () => {
    for (const file of ['bench/main', 'e2e/fuzz', 'e2e/soak', 'support/mocha/global-fixtures'])
      refuses([join(dist, 'test', `${file}.js`)]);
    for (const tool of ['make-migration', 'write-readme']) refuses([join(dist, 'test/support/tools', `${tool}.js`)]);
  });
});

describe('engines of the packages', () => {
  it('name the oldest supported Node', () => {
    for (const path of ['package.json', 'core/package.json'])
      expect(JSON.parse(readFileSync(join(dist, '..', path), 'utf8')).engines, path).to.deep.equal({ node: '>=24' });
  });
});
