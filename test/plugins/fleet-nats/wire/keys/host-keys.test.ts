import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readHostKeys } from '../../../../../plugins/fleet-nats/wire/keys/host-keys.ts';
import { PrivateKeys } from '../../../../../plugins/fleet-nats/wire/keys/keys.ts';
import { userNamed } from '../../../../../plugins/process/users/users.ts';
import { temporaryFolder } from '../../../../support/mocha/temporary-folder.ts';

const nobody = process.getuid?.() === 0 ? userNamed('nobody') : null;

describe('The key file of the hosts', () => {
  const folder = temporaryFolder('host-keys');
  const path = join(folder, 'keys', 'hosts.key');

  after(() => rmSync(folder, { recursive: true }));

  it('is created for its owner alone, and read again', () => {
    const { texts } = readHostKeys(path).publicKeys;
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(readFileSync(path, 'utf8')).to.match(/^SU[A-Z2-7]{56}\nSX[A-Z2-7]{56}\n$/);
    expect(readHostKeys(path).publicKeys.texts).to.deep.equal(texts);
  });

  it('belongs to the owner of its folder where root creates it, so that the service can read it', function () {
    if (!nobody) return this.skip();
    const own = join(folder, 'of-nobody');
    mkdirSync(own, { mode: 0o700 });
    chownSync(own, nobody.uid, nobody.gid);
    readHostKeys(join(own, 'hosts.key'));
    const { uid, gid, mode } = statSync(join(own, 'hosts.key'));
    expect([uid, gid, mode & 0o777]).to.deep.equal([nobody.uid, nobody.gid, 0o600]);
  });

  it('is refused where others may read it', () => {
    chmodSync(path, 0o640);
    expect(() => readHostKeys(path)).to.throw(
      `The key file of the hosts ${path} is open to others than its owner (mode 640): make it its owner's alone with chmod 600.`,
    );
  });

  it('is refused where it cannot be read', () => {
    expect(() => readHostKeys(folder)).to.throw(`The key file of the hosts ${folder} cannot be read (EISDIR).`);
  });

  const { signing, sealing } = PrivateKeys.generate().seeds();
  const must = 'must hold two seeds, one a line.';
  for (const [what, content, reason] of [
    ['nothing', '', 'A seed is wrong: it must be an NKey of 58 characters that begins with SU.'],
    ['one seed', signing, 'A seed is wrong: it must be an NKey of 58 characters that begins with SX.'],
    [
      'the seeds in the other order',
      `${sealing}\n${signing}`,
      'A seed is wrong: it must be an NKey of 58 characters that begins with SU.',
    ],
    ['three seeds', `${signing}\n${sealing}\n${sealing}`, 'More follows the two seeds.'],
  ] as const)
    it(`is refused with ${what}, without showing it`, () => {
      const file = join(folder, 'wrong.key');
      writeFileSync(file, content, { mode: 0o600 });
      expect(() => readHostKeys(file)).to.throw(new RegExp(`^The key file of the hosts ${file} ${must} ${reason}$`));
    });
});
