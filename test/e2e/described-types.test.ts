import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allResources } from '@horarium/core';
import { expect } from 'chai';
import { sourceRoot } from '../house/source-files.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';
import { bundleCore } from '../support/packages/bundle-core.ts';
import { LanguageServer } from '../support/program/language-server.ts';

const program = `import type { Core, JobInput, NewJob } from '@horarium/core';

export async function use(core: Core) {
  const me = core.actor('me');
  const read = await core.runTemplates.get(me, 1);
  const saved = await core.apps.save(me, { executable: 'a' });
  const { rows: listed } = await core.jobs.list(me);
  const recurring = await core.every('daily', 'a', () => undefined);
  await core.runTemplates.save(me, { interval: 'daily', });
  await core.companyUsers.save(me, { company_id: 1, });
  await core.jobs.schedule(me, { executor: 'a', });
  core.tasks;
  return [read.catch_up, saved.artifacts, listed, recurring];
}
export type Jobs = [NewJob['environment'], JobInput['state']];
`;

/** The description of a field, as it is in the resource. */
function described(resource: string, field: string): string {
  const columns = allResources.find(({ name }) => name === resource)?.columns;
  return columns?.find(({ name }) => name === field)?.description ?? expect.fail(`${resource}.${field}`);
}

describe('The declarations of the packed core', () => {
  let folder: string;
  let editor: LanguageServer;
  before(async () => {
    folder = temporaryFolder('described-types');
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@horarium'), { recursive: true });
    await bundleCore(join(modules, '@horarium/core'));
    for (const name of ['yup', 'croner', 'temporal-polyfill'])
      symlinkSync(join(sourceRoot, 'node_modules', name), join(modules, name));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, exactOptionalPropertyTypes: true };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(join(folder, 'program.ts'), program);
    editor = await LanguageServer.open(join(folder, 'program.ts'));
  });
  after(async () => {
    await editor[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  it('name a row by its type', async () => {
    expect(await editor.hover('const read')).to.include('const read: RunTemplateRow\n');
    expect(await editor.hover('const saved')).to.include('const saved: Saved<AppRow>\n');
    expect(await editor.hover('rows: listed')).to.include('listed: JobRow[]\n');
    expect(await editor.hover('const recurring')).to.include('const recurring: RunTemplateRow\n');
  });

  it('describe the fields of rows and of inputs by the sentences of their resources', async () => {
    const hovered = await editor.hover('[read.catch_up');
    expect(hovered)
      .to.include('catch_up: "all" | "latest" | "none"\n')
      .and.to.include(described('RunTemplate', 'catch_up'));
    expect(await editor.hover('saved.artifacts')).to.include(described('App', 'artifacts'));
    const given = await editor.hover('{ executable');
    expect(given).to.include('executable?: string\n').and.to.include(described('App', 'executable'));
    expect(await editor.hover('{ interval')).to.include(described('RunTemplate', 'interval'));
  });

  it('complete the fields that a save takes, and no others', async () => {
    const ofTemplate = await editor.complete("interval: 'daily', ");
    expect(ofTemplate).to.include.members(['id', 'name', 'cron', 'timezone', 'environment', 'on_failure']);
    const ofService = ['revision', 'cipher_key', 'created_at', 'next_scheduled_at'];
    expect(ofTemplate.filter((name) => ofService.includes(name))).to.deep.equal([]);
    expect(await editor.complete('company_id: 1, ')).to.have.members(['id', 'user_id', 'login', 'role']);
    const ofJob = ['runtemplate_id', 'task_id', 'scheduled_at', 'environment'];
    expect(await editor.complete("{ executor: 'a', ")).to.have.members(ofJob);
  });

  it('complete a core by what programs use, with what channels need behind one name', async () => {
    const ofCore = await editor.complete('\n  core.');
    expect(ofCore).to.include.members(['apps', 'jobs', 'every', 'start', 'forChannels']);
    const ofChannels = ['eventLoop', 'serialize', 'checkKeys', 'idempotencyKeys', 'countUnknownSecret'];
    expect(ofCore.filter((name) => ofChannels.includes(name))).to.deep.equal([]);
  });
});
