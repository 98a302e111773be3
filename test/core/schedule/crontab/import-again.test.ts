import {
  App,
  crontabRecords,
  keepSecretDefaults,
  readAppDefinition,
  readCrontab,
  writeAppDefinition,
} from '@horarium/core';
import { expect } from 'chai';
import { readExample, realFiles } from '../../../support/examples.ts';
import { type RecordWorld, recordWorld } from '../../../support/record-world.ts';

async function storeCrontab(world: RecordWorld, company: number, text: string): Promise<void> {
  const { entries } = readCrontab(text, { system: true, file: 'tab' });
  const { apps, templates } = crontabRecords(entries, { company: 'acme', file: 'tab' });
  const ids = new Map<string, number>();
  for (const app of apps) ids.set(app.uuid, (await world.save('App', app)).id);
  for (const { app_uuid, company: _code, ...template } of templates)
    await world.save('RunTemplate', { ...template, company_id: company, app_id: ids.get(app_uuid) });
}

async function storeDefinition(world: RecordWorld, text: string) {
  const input = readAppDefinition(text, 'x').app;
  const [before] = await world.store.read((tables) => tables.of(App).find({ where: [['uuid', '=', input.uuid]] }));
  const { topic_names, ...app } = keepSecretDefaults(input, before);
  return { topic_names, row: await world.save('App', app) };
}

describe('importing into a store', () => {
  const crontabs = [{ name: 'the example', text: readExample('crontabs/system') }, ...realFiles('crontabs')];
  for (const { name, text } of crontabs)
    it(`changes nothing the second time: ${name}`, async () => {
      const world = recordWorld();
      const company = await world.save('Company', { code: 'acme', name: 'Acme' });
      await storeCrontab(world, company.id, text);
      const before = await world.audit();
      world.advance(60_000);
      await storeCrontab(world, company.id, text);
      expect(before).to.have.length.greaterThan(2);
      expect(await world.audit()).to.deep.equal(before);
    });

  const examples = ['invoices', 'wait'].map((name) => ({
    name,
    text: readExample(`app-definitions/${name}.app.json`),
  }));
  const real = realFiles('app-definitions').filter(({ name }) => /^(?!invalid).*\.app\.json$/.test(name));
  for (const { name, text } of [...examples, ...real])
    it(`changes nothing the second time, nor when the export comes back: ${name}`, async () => {
      const world = recordWorld();
      const { topic_names, row } = await storeDefinition(world, text);
      const before = await world.audit();
      world.advance(60_000);
      await storeDefinition(world, text);
      expect(await world.audit()).to.deep.equal(before);
      const exported = writeAppDefinition({ ...row, topic_names: topic_names ?? [] });
      expect(exported).to.not.match(/hunter2|vault:|•/);
      await storeDefinition(world, exported);
      expect(await world.audit()).to.deep.equal(before);
    });
});
