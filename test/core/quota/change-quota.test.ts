import { type Actor, type Core, type Tables, TooManyRequests } from '@horarium/core';
import { expect } from 'chai';
import { DailyUsage } from '#core/quota/daily-usage';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { withRecordedCalls } from '../../support/store/recorded-calls.ts';
import { user } from '../../support/worlds/record-world.ts';
import { EmbeddingWorld } from '../embedding/embedding-world.ts';

const limit = 64 * 1024;
const large = 'x'.repeat(10_000);

describe('What changes of a company may write in a day', () => {
  let world: EmbeddingWorld;
  let core: Core;
  let root: Actor;
  let templateId: number;
  let other: number;
  let manager: Actor;
  let managerOfOther: Actor;

  beforeEach(async () => {
    world = new EmbeddingWorld();
    core = world.core({ maxChangesPerDay: limit });
    root = core.actor('root');
    const environment = { TARGET: { type: 'text' } } as const;
    const app = await core.apps.save(root, { name: 'app', executable: 'work', environment });
    const executor = world.functions().name;
    const template = async (code: string) => {
      const company = await core.companies.save(root, { name: code, code });
      const owners = { app_id: app.id, company_id: company.id };
      return core.runTemplates.save(root, { name: code, interval: 'daily', executor, ...owners });
    };
    const [own, others] = [await template('greedy'), await template('frugal')];
    templateId = own.id;
    other = others.id;
    const { id: userId } = await core.users.save(root, { login: 'eve', email: 'eve@example.com' });
    manager = user(userId, ['user'], { [own.company_id]: 'manager' });
    managerOfOther = user(userId + 1, [], { [others.company_id]: 'manager' });
  });

  const change = (actor: Actor, id: number, environment = large) =>
    core.runTemplates.save(actor, { environment: { TARGET: environment } }, { id });

  /** Makes changes until one is refused. @returns how many were made, and the refusal. */
  async function changeUntilRefused(each = core): Promise<{ made: number; refusal: TooManyRequests }> {
    for (let made = 0; made < 100; made += 1) {
      const set = { environment: { TARGET: `${made}${large}` } };
      const error = await each.runTemplates.save(manager, set, { id: templateId }).then(
        () => null,
        (error: unknown) => error,
      );
      if (error) return { made, refusal: error as TooManyRequests };
    }
    throw new Error('no change was refused');
  }

  const usage = () => core.store.read((tables: Tables) => tables.of(DailyUsage).find());

  it('is bounded: further changes are refused with the limit, its end and when to try again', async () => {
    const { made, refusal } = await changeUntilRefused();
    // The first writes the value into the row and the entry, each further one into the entry twice, before and after.
    expect(made).to.equal(2);
    expect(refusal).to.be.instanceOf(TooManyRequests);
    expect(refusal.message).to.match(
      /^The change is refused: company \d+ may store 64 KiB of changes a day, which are used up until 2026-11-22T00:00:00\.000Z\.$/,
    );
    expect(refusal.retryAfter).to.equal(Date.UTC(2026, 10, 22) - world.time.now);
  });

  it('is not used up by another company, and begins again at midnight of UTC', async () => {
    await changeUntilRefused();
    await change(managerOfOther, other);
    await world.time.pass(24 * 3_600_000);
    await change(manager, templateId, 'small');
  });

  it('bounds neither administrators nor the service itself, and neither uses it up', async () => {
    for (const size of [1, 2, 3, 4, 5]) await change(root, templateId, `${size}${large}`);
    const admin = user(3, ['admin']);
    for (const size of [6, 7, 8, 9]) await change(admin, templateId, `${size}${large}`);
    expect((await changeUntilRefused()).made).to.be.at.least(1);
    await change(root, templateId, 'small');
    await change(admin, templateId, 'smaller');
  });

  it('counts what a dry run would change no more than what is rolled back, but refuses both', async () => {
    const dryRun = () =>
      core.store.dryRun(manager, (tables) =>
        core.runTemplates.saveIn(tables, manager, { environment: { TARGET: large + large } }, { id: templateId }),
      );
    for (let run = 0; run < 10; run += 1) await dryRun();
    const rollBack = () =>
      core.store.transaction(manager, async (tables) => {
        await core.runTemplates.saveIn(tables, manager, { environment: { TARGET: large + large } }, { id: templateId });
        throw new Error('rolled back');
      });
    for (let run = 0; run < 10; run += 1) expect((await rejectionOf(rollBack())).message).to.equal('rolled back');
    const { refusal } = await changeUntilRefused();
    expect((await rejectionOf(dryRun())).message).to.equal(refusal.message);
  });

  it('counts what belongs to no company for its user', async () => {
    const create = (actor: Actor) => core.tokens.issue(actor, { login: 'eve', name: 'x'.repeat(60), ttl: null });
    let made = 0;
    const error = await rejectionOf(
      (async () => {
        for (; made < 1000; made += 1) await create(manager);
      })(),
    );
    expect(error.message).to.match(/^The change is refused: user \d+ may store 64 KiB of changes a day/);
    expect(made).to.be.within(10, 500);
    // The company has its own count.
    await change(manager, templateId, 'small');
  });

  it('counts stored responses of idempotency keys', async () => {
    const body = new Uint8Array(20_000);
    const store = (key: string) =>
      core.store.transaction(manager, async (tables) => {
        const request = { scope: key, fingerprint: key };
        await core.forChannels.idempotencyKeys.claim(tables, manager, request);
        const row = await core.runTemplates.saveIn(tables, manager, {}, { id: templateId });
        const written = { resource: 'RunTemplate', row, created: false };
        await core.forChannels.idempotencyKeys.store(
          tables,
          manager,
          request,
          { status: 200, headers: {}, body },
          written,
        );
      });
    for (const key of ['a', 'b', 'c']) await store(key);
    const refusal = await rejectionOf(store('d'));
    expect(refusal.message).to.match(/^The change is refused: company \d+ may store 64 KiB of changes a day/);
  });

  it('lets jobs be cancelled when it is used up', async () => {
    const job = await core.jobs.schedule(manager, { runtemplate_id: templateId, scheduled_at: '2026-12-01T00:00:00Z' });
    await changeUntilRefused();
    const scheduleUntilRefused = async () => {
      for (let made = 0; made < 100; made += 1) await core.jobs.schedule(manager, { runtemplate_id: templateId });
    };
    expect(await rejectionOf(scheduleUntilRefused())).to.be.instanceOf(TooManyRequests);
    expect(await core.jobs.cancel(manager, job.id)).to.include({ state: 'cancelled' });
  });

  it('is never exceeded, however many hosts change records at the same time', async () => {
    const hosts = [core, world.core({ maxChangesPerDay: limit })];
    const changes = Array.from({ length: 30 }, (_, at) =>
      (hosts[at % 2] as Core).runTemplates
        .save(manager, { environment: { TARGET: `${at}${'x'.repeat(2000)}` } }, { id: templateId })
        .then(
          () => null,
          (error: unknown) => error,
        ),
    );
    const refusals = (await Promise.all(changes)).filter((error) => error !== null);
    expect(refusals.length).to.be.within(1, 25);
    for (const refusal of refusals) expect(refusal).to.be.instanceOf(TooManyRequests);
    const [counted, ...others] = await usage();
    expect(others).to.deep.equal([]);
    expect(counted?.changes).to.be.within(limit - 10_000, limit);
  });

  it('is kept by a process that is started again', async () => {
    await changeUntilRefused();
    expect((await changeUntilRefused(world.core({ maxChangesPerDay: limit }))).made).to.equal(0);
  });

  it('costs a change of a company one statement, and those of administrators none', async () => {
    const calls: string[] = [];
    core = world.core({ maxChangesPerDay: limit, store: withRecordedCalls(world.store, DailyUsage, calls) });
    await change(manager, templateId, 'a');
    expect(calls.splice(0)).to.deep.equal(['updateWhere', 'insertAbsent']);
    await change(manager, templateId, 'b');
    expect(calls.splice(0)).to.deep.equal(['updateWhere']);
    await change(root, templateId, 'c');
    expect(calls).to.deep.equal([]);
  });
});
