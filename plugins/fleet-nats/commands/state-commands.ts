import { defineCommand, ref } from '@horarium/core/plugin';
import { Agent } from '../records/agent.ts';

const group = 'Notices, events and work elsewhere:';
const named = { name: ref('Agent', { description: 'the agent' }).required() };

/** `agent:drain NAME` */
export const drainCommand = defineCommand({
  name: 'agent:drain',
  summary: 'Let an agent end the jobs that it runs, and claim no others until agent:undrain.',
  group,
  arguments: named,
  async run({ core, actor, arguments: { name: id }, output }) {
    const { name } = await core.records(Agent).save(actor, { id, state: 'draining' });
    await output.note(`The agent ${name} claims no further jobs.`);
  },
});

/** `agent:undrain NAME` */
export const undrainCommand = defineCommand({
  name: 'agent:undrain',
  summary: 'Let an agent that was drained claim jobs again.',
  group,
  arguments: named,
  async run({ core, actor, arguments: { name: id }, output }) {
    const { name } = await core.records(Agent).save(actor, { id, state: 'active' });
    await output.note(`The agent ${name} claims jobs again.`);
  },
});

/** `agent:revoke NAME` */
export const revokeCommand = defineCommand({
  name: 'agent:revoke',
  summary: 'Take the credential of an agent away at once. The jobs that it runs are lost, and run elsewhere.',
  group,
  arguments: named,
  async run({ core, actor, arguments: { name: id }, output }) {
    const { name, lost } = await core.store.transaction(actor, async (tables) => {
      const { name } = await core.records(Agent).saveIn(tables, actor, { id, state: 'revoked' }, {});
      return { name, lost: await core.agents.endAgentIn(tables, name, `the agent ${name} was revoked`) };
    });
    const jobs =
      lost === 0 ? 'It ran no jobs.' : `It ran ${lost} ${lost === 1 ? 'job, which is' : 'jobs, which are'} lost.`;
    await output.note(`The agent ${name} is revoked. ${jobs} Take its user out of the configuration of NATS as well.`);
  },
});
