import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readHandbook, readPage } from '../../plugins/docs/pages/handbook.ts';
import { sourceRoot } from '../house/source-files.ts';
import { readDocument } from '../support/docs/documents.ts';
import { emptyFolder, missingPrograms, PageRunner, prepareFolder } from '../support/docs/page-runner.ts';
import { pageCommands } from '../support/docs/page-steps.ts';
import type { TestCli } from '../support/program/test-cli.ts';

/** The pages that other tests run, because they check what follows. */
const checkedPages = readdirSync(join(sourceRoot, 'test/e2e'))
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((name) => [...readFileSync(join(sourceRoot, 'test/e2e', name), 'utf8').matchAll(/runPage\('([\w/-]+)'\)/g)])
  .map(([, path]) => path);

const { pages } = await readHandbook();

/** Prints the id of the newest entry of the audit log about a kind of record. */
const newestEntry = (entityType: string) =>
  `$(horarium auditlog:list --entity-type ${entityType} --limit 1 --format json | grep -om1 '"id": [0-9]*' | grep -o '[0-9]*')`;

describe('The commands of the handbook', () => {
  let prepared: TestCli;
  before(async () => {
    prepared = await prepareFolder();
  });
  after(() => prepared[Symbol.dispose]());

  // The commands of embed/ install packages and start programs, which the tests of packages and their examples do.
  for (const page of pages.filter(({ path }) => !path.startsWith('embed/') && !checkedPages.includes(path)))
    it(`work as printed on ${page.path}`, async function () {
      const commands = pageCommands(await readPage(page));
      if (commands.length === 0) return;
      if (missingPrograms(commands).length > 0) this.skip();
      await using runner = await PageRunner.start(prepared);
      await runner.runDocument(await readPage(page));
    });

  it('say why, and undo a change', async () => {
    await using runner = await PageRunner.start(prepared, {
      replaced: {
        'why nightly-backup': 'runtemplate:save --id 1 --note later && horarium why 1',
        'why task 4711': 'why runtemplate 1',
        'why job 8042': 'runtemplate:run 1 && horarium why job 1',
        'undo 8042': `undo ${newestEntry('RunTemplate')}`,
      },
    });
    const printed = (await runner.runPage('operate/what-changed')).join('');
    expect(printed)
      .to.match(/^yes +active +the run template is active$/m)
      .and.match(/^note +later *$/m);
  });

  it('repeat and waive Tasks, and backfill windows', async () => {
    const newTask = (date: string) =>
      `$(horarium backfill 1 --from ${date} --to ${date} --format json | grep -om1 '"id": [0-9]*' | grep -o '[0-9]*')`;
    await using runner = await PageRunner.start(prepared, {
      replaced: {
        'backfill nightly-report': 'backfill 1',
        'task:retry 4711': `runtemplate:save --id 1 --interval daily && horarium task:retry ${newTask('2026-09-01')}`,
        // So that no worker ends the Task before it is waived.
        'task:waive 4711': `runtemplate:save --id 1 --executor external --executor-options '{}' && horarium task:waive ${newTask('2026-09-02')}`,
      },
    });
    const printed = (await runner.runPage('operate/run-again')).join('');
    expect(printed)
      .to.match(/^\d+ .* cancelled +waived by .*: the shop is closed today$/m)
      .and.match(/^\d+ +1 first-echo +2026-10-0.* open *$/m);
  });

  it('write a plugin, check it and load it', async () => {
    await using runner = await PageRunner.start(prepared, { replaced: { ' && npm install': '' } });
    const scope = join(runner.cli.folder, 'node_modules/@horarium');
    mkdirSync(scope, { recursive: true });
    symlinkSync(join(sourceRoot, 'core'), join(scope, 'core'));
    const printed = (await runner.runPage('extend/plugins')).join('');
    expect(printed)
      .to.include('The plugin my-thing can be used')
      .and.match(/^executor +my-thing/m);
  });
});

describe('The first five minutes of the README', () => {
  it('work as printed', async function () {
    const [, chapter = ''] = /^## The first five minutes\n(.*?)^## /ms.exec(readDocument('README.md')) ?? [];
    if (missingPrograms(pageCommands(chapter)).length > 0) this.skip();
    using empty = await emptyFolder();
    await using runner = await PageRunner.start(empty, {
      replaced: {
        // The service runs already, and no test waits for the next full minute.
        'npm ci && npm start': 'true',
        "alias horarium='npm run -s horarium --'": 'true',
        'test/examples': join(sourceRoot, 'test/examples'),
        'horarium undo 41': `horarium undo ${newestEntry('App')}`,
        'task:retry 6': 'task:retry --template 2',
        'horarium job:output 1': 'horarium runtemplate:run 1 && horarium job:output 1 --follow',
      },
    });
    const printed = (await runner.runDocument(chapter)).join('');
    expect(printed)
      .to.match(/backup of \d\d:\d\d done/)
      .and.include('"/bin/false"');
  });
});
