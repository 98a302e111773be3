import { App, AuditLog, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { appImporter } from '../../../plugins/import-app-definition/app-importer.ts';
import { writeAppDefinition } from '../../../plugins/import-app-definition/write-definition.ts';
import { readExample, realFiles } from '../../support/formats/example-files.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { runImport } from '../../support/program/run-import.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

describe('The importer of application definitions', () => {
  const examples = ['invoices', 'wait'].map((name) => ({
    name,
    text: readExample(`app-definitions/${name}.app.json`),
  }));
  const real = realFiles('app-definitions').filter(({ name }) => /^(?!invalid).*\.app\.json$/.test(name));
  for (const { name, text } of [...examples, ...real])
    it(`changes nothing when ${name} is imported again, or its export is`, async () => {
      const core = new MemoryCore();
      const audit = () => core.store.read((tables) => tables.of(AuditLog).find());
      const [{ id }] = (await runImport(core, appImporter, [{ name, text }])).rows;
      const before = await audit();
      await runImport(core, appImporter, [{ name, text }]);
      expect(await audit()).to.deep.equal(before);
      const row = await core.records(App).get(trustedActor('tester'), id);
      const topics = await core.store.read((tables) => tables.of(Topic).find());
      const topic_names = row.topics.map((each) => topics.find((topic) => topic.id === each)?.name ?? '');
      const exported = writeAppDefinition({ ...row, topic_names } as Parameters<typeof writeAppDefinition>[0]);
      expect(exported).to.not.match(/hunter2|vault:|•/);
      await runImport(core, appImporter, [{ name: 'exported', text: exported }]);
      expect(await audit()).to.deep.equal(before);
    });

  it('imports no App that declares a variable which an executor forbids, and names the file', async () => {
    const definition = JSON.parse(readExample('app-definitions/wait.app.json'));
    const text = JSON.stringify({ ...definition, environment: { LD_PRELOAD: {} } });
    const error = await rejectionOf(runImport(new MemoryCore(), appImporter, [{ name: 'loader.json', text }]));
    expect(error.message)
      .to.match(/loader\.json/)
      .and.to.match(/environment\.LD_PRELOAD cannot be declared or set/);
  });

  it('creates the topics that a definition names', async () => {
    const core = new MemoryCore();
    const definition = { ...JSON.parse(readExample('app-definitions/wait.app.json')), topics: ['Finance', 'Finance'] };
    const [{ id }] = (await runImport(core, appImporter, [{ name: 'x', text: JSON.stringify(definition) }])).rows;
    expect((await core.records(App).get(trustedActor('tester'), id)).topics).to.deep.equal([1]);
  });
});
