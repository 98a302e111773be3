import { mask } from '@horarium/core';
import { expect } from 'chai';
import { decryptOverrides } from '#core/job/overrides';
import { companyWithSecrets } from '../../support/secrets/company-with-secrets.ts';
import { invalidFields, recordServices, refusal } from '../../support/worlds/record-world.ts';

const { vault } = recordServices;

describe('Overrides of a job', () => {
  it('are stored encrypted if they are secret, so that they can be decrypted for no other template or key', async () => {
    const { prepare, template } = await companyWithSecrets();
    const { overrides } = await prepare({ ONCE_KEY: 'once secret', PLACE: 'Praha' });
    expect(overrides['PLACE']).to.equal('Praha');
    expect(overrides['ONCE_KEY']).not.to.include('once');
    expect(decryptOverrides(vault, template.id, overrides)).to.deep.equal({ ONCE_KEY: 'once secret', PLACE: 'Praha' });
    expect(() => decryptOverrides(vault, template.id + 1, overrides)).to.throw('A stored secret cannot be decrypted');
    const moved = { FIRM_KEY: overrides['ONCE_KEY'] as string };
    expect(() => decryptOverrides(vault, template.id, moved)).to.throw('A stored secret cannot be decrypted');
  });

  it('are rejected for an undeclared key, and if they are a mask or a ciphertext', async () => {
    const { prepare } = await companyWithSecrets();
    expect(await invalidFields(prepare({ OTHER: 'x' }))).to.deep.equal(['environment.OTHER']);
    expect(await invalidFields(prepare({ ONCE_KEY: mask }))).to.deep.equal(['environment.ONCE_KEY']);
    const { overrides } = await prepare({ ONCE_KEY: 'x' });
    expect(await invalidFields(prepare(overrides))).to.deep.equal(['environment.ONCE_KEY']);
  });

  it('are rejected if their secrets have more than 64 KiB together', async () => {
    const { prepare } = await companyWithSecrets();
    const large = { ONCE_KEY: 'x'.repeat(32_768), FIRM_KEY: 'y'.repeat(32_700) };
    const { message, errors } = await refusal(prepare({ ...large, RUN_KEY: 'z'.repeat(69) }));
    expect(errors.map(({ field }) => field)).to.deep.equal(['environment.RUN_KEY']);
    expect(message).to.include('at most 65536 bytes');
    const { overrides } = await prepare({ ...large, PLACE: 'z'.repeat(69) });
    expect(Object.keys(overrides)).to.deep.equal(['ONCE_KEY', 'FIRM_KEY', 'PLACE']);
  });
});
