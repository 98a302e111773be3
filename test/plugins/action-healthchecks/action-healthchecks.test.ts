import { actionContract, noticeOf } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import { type ActionEvent, actionEvents } from '@horarium/core/plugin';
import { expect } from 'chai';
import plugin from '../../../plugins/action-healthchecks/plugin.ts';
import { actionOf, deliver } from '../../support/actions/deliver.ts';
import { Receiver } from '../../support/actions/receiver.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { eventually } from '../../support/mocha/eventually.ts';

describe('The action healthchecks', () => {
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver[Symbol.asyncDispose]());

  const action = actionOf(plugin, { allowed_networks: ['127.0.0.1'] });
  const uuid = '5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278';
  const url = (path: string) => `${receiver.origin}${path}`;

  describe('keeps the contract', () => {
    const make = () => ({
      action,
      reachable: { url: url(`/${uuid}`) },
      unreachable: [
        { url: url(`/refuses/${uuid}`) },
        { url: url(`/redirect/${uuid}`) },
        { url: `http://127.0.0.1:1/${uuid}` },
      ],
      unresponsive: [{ url: url(`/hangs/${uuid}`) }],
      secrets: [uuid],
      arrived: () => receiver.received.length,
      connections: () => receiver.connections,
    });
    defineContractTests(actionContract(make, nodeClock));
  });

  it('pings start, success and failure with the id of the run, and why it failed', async () => {
    receiver.received.length = 0;
    for (const event of actionEvents)
      await deliver(action, { url: url(`/${uuid}/`) }, { notice: noticeOf(event), hasEnded: event !== 'on_start' });
    const { run_id } = noticeOf('on_start');
    const path = (signal: string) => `/${uuid}${signal}?rid=${run_id}`;
    expect(receiver.received.map((each) => each.path)).to.deep.equal(
      ['/start', '', '/fail', '', '/fail', ''].map(path),
    );
    expect(receiver.received[2]?.body).to.contain('Why:       the last attempt failed (exit code 3)');
  });

  it('pings no start once the run has ended, and an ending only behind the ping of its start', async () => {
    receiver.received.length = 0;
    const late = await deliver(action, { url: url(`/${uuid}`) }, { notice: noticeOf('on_start'), hasEnded: true });
    expect(late.response).to.equal('Not pinged: the run has ended meanwhile.');
    const abort = new AbortController();
    const given = (event: ActionEvent) => ({ notice: noticeOf(event), hasEnded: event !== 'on_start' });
    const start = deliver(action, { url: url(`/hangs/${uuid}`) }, given('on_start'), abort.signal).catch(() => 'ended');
    await eventually('the start is pinged', () => receiver.connections > 0);
    let hasArrived = false;
    const success = deliver(action, { url: url(`/hangs/${uuid}`) }, given('on_success'), abort.signal)
      .catch(() => 'ended')
      .finally(() => {
        hasArrived = true;
      });
    expect([receiver.connections, hasArrived]).to.deep.equal([1, false]);
    abort.abort();
    expect(await Promise.all([start, success])).to.deep.equal(['ended', 'ended']);
  });
});
