import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sourceRoot } from './source-files.ts';

type Dependencies = Record<string, string>;

describe('The packages', () => {
  for (const path of ['package.json', 'core/package.json']) {
    it(`pin every dependency of ${path} to one version`, () => {
      const manifest = JSON.parse(readFileSync(join(sourceRoot, path), 'utf8')) as Record<string, Dependencies>;
      const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
      const all = groups.flatMap((group) => Object.entries(manifest[group] ?? {}));
      const unpinned = all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version));
      expect(all).to.not.be.empty;
      expect(unpinned).to.deep.equal([]);
    });
  }

  it('print that npm start builds, because the first build takes a while', () => {
    const { scripts } = JSON.parse(readFileSync(join(sourceRoot, 'package.json'), 'utf8')) as Record<
      string,
      Dependencies
    >;
    expect(scripts?.['start']).to.match(/^echo 'Building \.\.\.' >&2 && npm run -s build && exec node /);
  });

  it('give the core no dependencies but yup, croner and temporal-polyfill', () => {
    const manifest = JSON.parse(readFileSync(join(sourceRoot, 'core/package.json'), 'utf8')) as Record<
      string,
      Dependencies
    >;
    expect(Object.keys(manifest['dependencies'] ?? {})).to.have.members(['yup', 'croner', 'temporal-polyfill']);
  });
});
