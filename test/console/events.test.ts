import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { ConsoleWorld, describeInBrowser, expectAccessible, viewports } from '../support/browser/console-world.ts';
import { follow } from '../support/browser/screen-walk.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';

const hostile = `<script>alert(1)</script> 'o' \u202e1001`;
const secret = `whsec_${randomBytes(32).toString('base64')}`;

describeInBrowser('Events and deliveries in the browser:', () => {
  let world: ConsoleWorld;
  let receiver: ReturnType<typeof createServer>;
  let answer = 503;
  /** The receiver, as deliveries name it. */
  let endpoint: string;

  before(async () => {
    receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(answer).end('thanks');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    world = await ConsoleWorld.create({ HORARIUM_OUTBOUND_NETWORKS: '127.0.0.1/32' });
    await world.addUser('olga', null, { 1: 'operator' });
    await world.addUser('vera', null, { 1: 'viewer' });
    await world.service.run('company:save', '--code', 'globex', '--name', 'Globex');
    await save('eventsource', { name: 'shop', kind: 'webhook', options: { secret }, companies: [1] });
    const orders = await world.service.addTemplate('Orders', ['-c', 'exit 0'], { interval: 'none' });
    await save('eventrule', { event_source_id: 1, evidence: 'order.*', runtemplate_id: orders });
    await send('m1', { type: 'order.created', data: { id: 'o-1' } });
    const invoices = await world.service.addTemplate('Invoices', ['-c', 'exit 3'], { interval: 'none' });
    const { port } = receiver.address() as AddressInfo;
    endpoint = `http://127.0.0.1:${port}`;
    await save('runtemplate', { id: invoices, on_failure: [{ action: 'webhook', url: `${endpoint}/notices` }] });
    await world.service.run('runtemplate:run', String(invoices));
  });
  after(async () => {
    receiver.close();
    await world[Symbol.asyncDispose]();
  });

  const save = async (kind: string, record: object) => {
    const { code, err } = await world.service.cli.command(`${kind}:save --json -`, { input: JSON.stringify(record) });
    expect(code, err).to.equal(0);
  };
  const row = (page: Page, sentence: string) => page.getByRole('listitem').filter({ hasText: sentence }).first();

  async function send(id: string, body: object): Promise<void> {
    const [at, text] = [new Date(), JSON.stringify(body)];
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, text),
    };
    const { status } = await checkedFetch(`${world.url}/hook/shop`, { method: 'POST', headers, body: text });
    expect(status).to.equal(202);
  }

  it('Without an event, the page says where events come from, and leads admins to a new source', async () => {
    const page = await world.signedIn({ view: '/events?company=2' });
    await page.getByRole('heading', { level: 1, name: 'Nothing has happened today.' }).waitFor();
    expect(await page.getByRole('link', { name: 'New event source' }).getAttribute('href')).to.equal(
      '/manage/eventsources/new?company=2',
    );
    const viewer = await world.signedIn({ login: 'vera', view: '/events?company=2' });
    await viewer.getByText('Events arrive from').waitFor();
    expect(await viewer.getByRole('link', { name: 'New event source' }).count()).to.equal(0);
    await page.context().close();
    await viewer.context().close();
  });

  it('An event that arrives appears by itself, with the run that it caused and what its source reported', async () => {
    const page = await world.signedIn({ view: '/events' });
    await row(page, 'shop reported order.created o-1').waitFor();
    await page.mouse.move(1, 1);
    await send('m2', { type: 'order.created', data: { id: hostile } });
    await row(page, `shop reported order.created ${hostile}`).filter({ hasText: 'caused Orders' }).waitFor();
    expect(await page.locator('main script').count()).to.equal(0);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'What it caused' }).getByRole('link', { name: 'Orders' }).waitFor();
    await page.locator('pre').filter({ hasText: '"type": "order.created"' }).waitFor();
    await page.context().close();
  });

  it('An event that was set aside is named in the headline, and an operator retries it', async () => {
    await world.service.execute(
      "update horarium_event set state = 'set_aside', reason = 'the rule is wrong' where id = 1",
    );
    const viewer = await world.signedIn({ login: 'vera', view: '/events?state=set_aside' });
    await row(viewer, 'the rule is wrong').waitFor();
    expect(await viewer.getByRole('button', { name: 'Retry' }).count()).to.equal(0);
    const page = await world.signedIn({ login: 'olga', view: '/events' });
    await page.getByRole('link', { name: 'One is set aside.' }).click();
    await row(page, 'the rule is wrong').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.getByRole('log').getByText('The event is tried again.').waitFor();
    await eventually('it is done', async () => (await world.service.run('event:get', '1')).state === 'done');
    expect(await page.getByRole('heading', { name: 'What the source reported' }).count()).to.equal(0);
    await page.context().close();
    await viewer.context().close();
  });

  it('Filters of events stand in the URL', async () => {
    const page = await world.signedIn({ view: '/events' });
    await page.getByText('Done', { exact: true }).click();
    const source = page.getByLabel('Event source');
    await source.fill('shop');
    await source.press('Enter');
    await page.getByRole('heading', { level: 1, name: '2 events.' }).waitFor();
    await page.waitForURL('**/events?state=done&event_source_id=1');
    await page.getByLabel('Any time').selectOption({ label: 'Yesterday' });
    await page.getByRole('heading', { level: 1, name: 'No event is like that.' }).waitFor();
    await page.context().close();
  });

  it('A notice that does not arrive says why, and an operator sends it again', async () => {
    const page = await world.signedIn({ login: 'olga', view: '/deliveries' });
    const notice = row(page, 'Invoices failed');
    await notice.filter({ hasText: '503' }).waitFor();
    expect(await notice.textContent()).to.include(`webhook → ${endpoint}`);
    answer = 200;
    await notice.focus();
    await page.keyboard.press('r');
    await page.getByRole('log').getByText('The notice is on its way again.').waitFor();
    await notice.filter({ hasText: 'arrived' }).waitFor();
    await notice.getByRole('link', { name: 'Invoices failed' }).click();
    await page.getByRole('heading', { level: 1, name: 'Arrived: Invoices failed' }).waitFor();
    const facts = (await page.locator('.facts').allTextContents()).join(' ');
    expect(facts)
      .to.match(/Whyexit code 3.*Exit code3/)
      .and.to.include('It answeredthanks');
    await page.context().close();
  });

  it('A viewer sees the notices, and is offered nothing to send', async () => {
    const page = await world.signedIn({ login: 'vera', view: '/deliveries' });
    await row(page, 'Invoices failed').getByRole('link', { name: 'Invoices failed' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invoices failed' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).to.equal(0);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`Events and deliveries are accessible (${viewport.width} px)`, async () => {
      const page = await world.signedIn({ viewport, view: '/events' });
      for (const [view, sentence] of [
        ['/events', 'shop reported'],
        ['/events/1', 'What the source reported'],
        ['/deliveries', 'Invoices failed'],
        ['/deliveries/1', 'Message id'],
      ] as const) {
        await follow(page, view);
        await page.locator('main').getByText(sentence).first().waitFor();
        await expectAccessible(page);
      }
      await page.context().close();
    });
});
