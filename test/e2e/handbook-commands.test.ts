import { readHandbook, readPage } from '../../plugins/docs/pages/handbook.ts';
import { missingPrograms, PageRunner, prepareFolder } from '../support/docs/page-runner.ts';
import { pageCommands } from '../support/docs/page-steps.ts';
import type { TestCli } from '../support/program/test-cli.ts';

/** Pages whose commands need more than a service, which other tests give them: embedding-examples, plugin-packages, event-sources. */
const runElsewhere = /^(?:embed|extend)\/|^react\/tables$/;

const { pages } = await readHandbook();

describe('The commands of the handbook', () => {
  let prepared: TestCli;
  before(async () => {
    prepared = await prepareFolder();
  });
  after(() => prepared[Symbol.dispose]());

  for (const page of pages.filter(({ path }) => !runElsewhere.test(path)))
    it(`work as printed on ${page.path}`, async function () {
      const commands = pageCommands(await readPage(page));
      if (commands.length === 0) return;
      if (missingPrograms(commands).length > 0) this.skip();
      await using runner = await PageRunner.start(prepared);
      await runner.runPage(page.path);
    });
});
