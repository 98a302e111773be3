import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile, NodeVault, readKeyFile } from '@horarium/core/node';
import { expect } from 'chai';

describe('the key file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'horarium-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is created readable by its owner only, with its folder', () => {
    const path = join(folder, 'var', 'vault.key');
    const key = createKeyFile(path);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(readFileSync(path, 'utf8')).to.equal(`${key}\n`);
    expect(readKeyFile(path)).to.equal(key);
    expect(new NodeVault(key).fingerprint).to.be.a('string');
    expect(readdirSync(join(folder, 'var'))).to.deep.equal(['vault.key']);
  });

  it('is never overwritten', () => {
    const path = join(folder, 'vault.key');
    const key = createKeyFile(path);
    expect(createKeyFile(path)).to.equal(key);
  });

  it('is created although a killed process with the same pid left its temporary file', () => {
    const path = join(folder, 'vault.key');
    writeFileSync(`${path}.${process.pid}`, 'half of a k', { mode: 0o600 });
    expect(createKeyFile(path)).to.equal(readKeyFile(path));
  });

  it('reads as absent before it was created', () => {
    expect(readKeyFile(join(folder, 'vault.key'))).to.equal(undefined);
  });

  it('holds several keys, one a line or separated by commas', () => {
    const path = join(folder, 'vault.key');
    writeFileSync(path, 'new=\n  older=,oldest=\n\n', { mode: 0o600 });
    expect(readKeyFile(path)).to.equal('new=,older=,oldest=');
  });

  for (const mode of [0o640, 0o604, 0o620])
    it(`is refused when other users may access it: ${mode.toString(8)}`, () => {
      const path = join(folder, 'vault.key');
      createKeyFile(path);
      chmodSync(path, mode);
      expect(() => readKeyFile(path)).to.throw(
        `The vault's key file ${path} is open to others than its owner (mode ${mode.toString(8)}): make it its owner's alone with chmod 600.`,
      );
    });

  it('is named in the error when it cannot be read or created', () => {
    const path = join(folder, 'vault.key');
    mkdirSync(path);
    expect(() => readKeyFile(path)).to.throw(`The vault's key file ${path} cannot be read (EISDIR).`);
    rmSync(path, { recursive: true });
    const inside = join(createFile(path), 'vault.key');
    expect(() => createKeyFile(inside)).to.throw(/^The vault's key file \S+ cannot be created \(E[A-Z]+\)\.$/);
  });

  function createFile(path: string): string {
    createKeyFile(path);
    return path;
  }

  it('holds other keys than those of the vault too, and is named as what it is', () => {
    const file = join(folder, 'other.key');
    expect(createKeyFile(file, 'key file of the hosts', () => 'one\ntwo')).to.equal('one\ntwo');
    expect(readKeyFile(file)).to.equal('one,two');
    chmodSync(file, 0o644);
    expect(() => readKeyFile(file, 'key file of the hosts')).to.throw(`The key file of the hosts ${file} is open to`);
  });
});
