import { type Route, RunTemplate } from '@horarium/core/plugin';
import { renewAddress, revokeAddress } from './ping-addresses.ts';

const path = '/runtemplate/{runTemplateId}/ping.{suffix}';
const tag = RunTemplate.names.plural;
const right = { resource: RunTemplate.name, verbs: ['update'] } as const;

/** Give a template its ping address, and take it away. */
export const addressRoutes: readonly Route[] = [
  {
    method: 'POST',
    path,
    summary: 'Give a run template of the executor external a new ping address, and revoke the former one',
    authentication: 'required',
    shape: {
      operation: 'renewPingAddress',
      tag,
      right,
      errors: [409],
      responses: {
        200: {
          description: 'The address. It is shown only once; whoever knows it can report for the template.',
          body: {
            schema: { type: 'object', properties: { ping_url: { type: 'string' } }, required: ['ping_url'] },
            example: { ping_url: 'https://jobs.example.com/ping/6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63' },
          },
        },
      },
    },
    async handle(context) {
      const { core, actor, api } = context;
      let ping_url = '';
      const shape = { kind: 'item', name: 'address', fields: null } as const;
      // Only the returned reply has the address: the one that is stored for an idempotency key does not.
      const reply = await context.inTransaction(async (tables) => {
        const id = context.id('runTemplateId');
        ping_url = `${api.serviceUrl}/ping/${await renewAddress(core, tables, actor, id)}`;
        const writtenRecord = { resource: RunTemplate.name, row: { id }, created: false };
        return { value: {}, shape, writtenRecord };
      });
      return { ...reply, value: { ping_url } };
    },
  },
  {
    method: 'DELETE',
    path,
    summary: 'Revoke the ping address of a run template',
    authentication: 'required',
    shape: {
      operation: 'revokePingAddress',
      tag,
      right,
      responses: { 204: { description: 'The template has no address.' } },
    },
    handle: (context) =>
      context.inTransaction(async (tables) => {
        const id = context.id('runTemplateId');
        await revokeAddress(context.core, tables, context.actor, id);
        return { writtenRecord: { resource: RunTemplate.name, row: { id }, created: false } };
      }),
  },
];
