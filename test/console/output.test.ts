import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ConsoleWorld, describeInBrowser } from '../support/browser/console-world.ts';

describeInBrowser('The output of a job in the browser:', () => {
  let world: ConsoleWorld;
  before(async () => {
    // The pages are served by one process, and jobs run in another one.
    world = await ConsoleWorld.create({ HORARIUM_MAX_OUTPUT: '32MiB' }, ['--workers', '0']);
    await world.service.startService();
  });
  after(() => world[Symbol.asyncDispose]());

  let names = 0;
  /** Adds a template with that script, runs it, and returns the ids of both. */
  const run = async (script: string) => {
    const fields = { interval: 'none', overlap: 'allow' };
    const template = await world.service.addTemplate(`Script ${++names}`, ['-c', script], fields);
    const job = await world.service.run('runtemplate:run', String(template));
    return { template, job: job.id as number };
  };
  const openJob = (job: number, query = '') => world.signedIn({ view: `/jobs/${job}${query}` });
  const file = (name: string) => join(world.service.cli.folder, name);
  const waitFor = (name: string) => `while [ ! -e ${file(name)} ]; do sleep 0.02; done`;
  const line = (page: Page, text: string) => page.locator('.line', { hasText: text });

  it('It is shown as it is written, with its errors marked, until the job has ended', async () => {
    const { job } = await run(`echo one; ${waitFor('go-on')}; echo two >&2; exit 3`);
    const page = await openJob(job);
    await line(page, 'one').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Follow' }).isChecked()).to.equal(true);
    writeFileSync(file('go-on'), '');
    await line(page, 'two').waitFor();
    expect(await line(page, 'two').textContent()).to.include('Error output:');
    await page.getByRole('heading', { level: 1, name: 'failed' }).waitFor();
    await page.getByRole('checkbox', { name: 'Follow' }).waitFor({ state: 'detached' });
    expect(await page.locator('.line').count()).to.equal(2);
    await page.context().close();
  });

  it('No line is lost or doubled when the service that sends it is killed and starts again', async () => {
    const lines = (from: number, to: number) =>
      `i=${from}; while [ $i -le ${to} ]; do echo "step $i."; i=$((i+1)); done`;
    const { job } = await run(`${lines(1, 40)}; ${waitFor('killed')}; ${lines(41, 80)}`);
    const page = await openJob(job);
    await line(page, 'step 40.').waitFor();
    await world.restart();
    writeFileSync(file('killed'), '');
    await line(page, 'step 80.').waitFor();
    await page.getByText('80 lines').waitFor();
    await page.getByRole('region', { name: 'Output of attempt 1' }).last().press('Home');
    await line(page, 'step 1.').waitFor();
    await page.context().close();
  });

  it('Colours are shown, and nothing in it can be more than text', async () => {
    const script = String.raw`printf '\033[31mred\033[0m plain \033[38;5;46mgreen\033[0m\n'
      printf '<script>document.title="owned"</script><img src=x onerror=alert(1)>\n'
      printf '\033]0;title\007clean \342\200\256reversed\n'
      printf '10%%\r100%%\n'
      echo 'see https://example.com/a?b=1. and javascript:alert(1)'`;
    const { job } = await run(script);
    const page = await openJob(job);
    await line(page, 'see').waitFor();
    expect(await page.locator('.line .ink-1').textContent()).to.equal('red');
    expect(await page.locator('.line .ink-10, .line .ink-2').textContent()).to.equal('green');
    const texts = await page.locator('.line bdi').allTextContents();
    expect(texts.slice(1)).to.deep.equal([
      '<script>document.title="owned"</script><img src=x onerror=alert(1)>',
      'clean [U+202E]reversed',
      '100%',
      'see https://example.com/a?b=1. and javascript:alert(1)',
    ]);
    expect(await page.locator('.line script, .line img').count()).to.equal(0);
    const link = page.locator('.line a');
    expect(await link.getAttribute('href')).to.equal('https://example.com/a?b=1');
    expect(await link.getAttribute('rel')).to.include('noopener');
    await page.context().close();
  });

  it('A text is found by the keyboard, forwards and backwards, and a line has a URL', async () => {
    const { job } = await run('i=1; while [ $i -le 300 ]; do echo "row $i"; i=$((i+1)); done; echo "Row 7 again"');
    const page = await openJob(job);
    await page.getByText('301 lines').waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('row 7');
    await page.getByText('1 of 12 lines').waitFor();
    await page.locator('.line.chosen', { hasText: 'row 7' }).waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.getByText('12 of 12 lines').waitFor();
    await page.locator('.line.chosen', { hasText: 'Row 7 again' }).waitFor();
    expect(await page.locator('.line.chosen mark').textContent()).to.equal('Row 7');
    expect(new URL(page.url()).searchParams.get('line')).to.equal('301');
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Find in the output' }).waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    const other = await openJob(job, '?line=150');
    await other.locator('.line.chosen', { hasText: 'row 150' }).waitFor();
    await other.context().close();
    await page.context().close();
  });

  it('Scrolling up stops following, and what is written then moves nothing', async () => {
    const many = 'i=1; while [ $i -le 200 ]; do echo "line $i of many"; i=$((i+1)); done';
    const { job } = await run(`${many}; ${waitFor('scrolled')}; echo the last one`);
    const page = await openJob(job);
    await line(page, 'line 200 of many').waitFor();
    const box = page.locator('.lines');
    await box.hover();
    await page.mouse.wheel(0, -600);
    const follow = page.getByRole('checkbox', { name: 'Follow' });
    await page.getByRole('checkbox', { name: 'Follow', checked: false }).waitFor();
    const top = () => box.evaluate(({ scrollTop }: { readonly scrollTop: number }) => scrollTop);
    const before = await top();
    expect(before).to.be.above(0);
    writeFileSync(file('scrolled'), '');
    await page.getByText('201 lines').waitFor();
    expect(await top()).to.equal(before);
    expect(await line(page, 'the last one').count()).to.equal(0);
    await follow.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('Two hundred thousand lines are read, searched and scrolled through, of which few are drawn', async () => {
    const { job } = await run(
      `yes "$(printf 'a line of fifty characters, as programs write ..')" | head -n 200000 | nl`,
    );
    const page = await openJob(job);
    await page.getByText('200,000 lines').waitFor();
    await line(page, '200000').waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('123456\ta');
    await page.getByText('1 of 1 line').waitFor();
    await page.locator('.line.chosen').waitFor();
    expect(await page.locator('.line.chosen bdi').textContent()).to.include('123456');
    expect(await page.locator('.line').count()).to.be.lessThan(200);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const path = (await (await download).path()) as string;
    expect(readFileSync(path, 'utf8').split('\n').length).to.equal(200_001);
    await page.context().close();
  });

  it('A failed attempt is compared with the last success, without dates, times and durations', async () => {
    const script = `echo "$(date +%T) connected in $(date +%N) ms"; i=1; while [ $i -le 20 ]; do echo "read $i"; i=$((i+1)); done
      if [ -e ${file('locked')} ]; then echo 'database is locked' >&2; exit 1; fi; echo written`;
    const { template, job } = await run(script);
    const page = await openJob(job);
    await page.getByRole('heading', { level: 1, name: 'succeeded' }).waitFor();
    writeFileSync(file('locked'), '');
    await page
      .getByRole('button', { name: /^Run again/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'failed' }).waitFor();
    expect(template).to.be.greaterThan(0);
    await page.getByRole('button', { name: 'Compare with the last success' }).click();
    await page.locator('.line.before', { hasText: 'written' }).waitFor();
    expect(await page.locator('.line.after bdi').allTextContents()).to.deep.equal(['database is locked']);
    expect(await page.locator('.line.before').count()).to.equal(1);
    await page.getByText('… 18 equal lines …').waitFor();
    await page.context().close();
  });
});
