import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';
import { sourceRoot } from './source-files.ts';

type Dependencies = Record<string, string>;

describe('The packages', () => {
  for (const path of ['package.json', 'core/package.json', 'test/support/checkout/package.json']) {
    it(`pin every dependency of ${path} to one version`, () => {
      const manifest = JSON.parse(readFileSync(join(sourceRoot, path), 'utf8')) as Record<string, Dependencies>;
      const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
      const all = groups.flatMap((group) => Object.entries(manifest[group] ?? {}));
      const unpinned = all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version));
      expect(all).to.not.be.empty;
      expect(unpinned).to.deep.equal([]);
    });
  }

  it('print that npm start builds before it builds, because the first build takes a while', () => {
    const folder = temporaryFolder('start');
    for (const name of ['npm', 'node'])
      writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@" >&2\n`, { mode: 0o755 });
    const { scripts } = JSON.parse(readFileSync(join(sourceRoot, 'package.json'), 'utf8'));
    const { stderr } = spawnSync('/bin/sh', ['-c', scripts.start], { env: { PATH: folder }, encoding: 'utf8' });
    expect(stderr).to.equal('Building ...\nnpm run -s build\nnode dist/bundle/main.js serve\n');
    rmSync(folder, { recursive: true });
  });

  it('give the core no dependencies but yup, croner and temporal-polyfill', () => {
    const manifest = JSON.parse(readFileSync(join(sourceRoot, 'core/package.json'), 'utf8')) as Record<
      string,
      Dependencies
    >;
    expect(Object.keys(manifest['dependencies'] ?? {})).to.have.members(['yup', 'croner', 'temporal-polyfill']);
  });
});
