import type { Subjects } from '../subjects.ts';

/** The subjects that a user of NATS may use; every other one is denied. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** A user of NATS. */
export interface NatsUser {
  /** The name of the agent, or `hosts`; for people alone. */
  readonly name: string;
  /** Its public key, an NKey `U…`. */
  readonly nkey: string;
  readonly permissions: NatsPermissions;
}

/**
 * What an agent may do: nothing of another agent, of other pools, or of JetStream but to publish into its streams, which
 * acknowledge to its inbox.
 */
export function agentPermissions(subjects: Subjects, agent: string, pools: readonly string[]): NatsPermissions {
  return {
    publish: [subjects.ask(agent), subjects.report(agent), subjects.alive(agent)],
    subscribe: [
      `${subjects.inbox(agent)}.>`,
      subjects.tell(agent),
      subjects.hosts,
      ...pools.map((pool) => subjects.work(pool)),
    ],
  };
}

/**
 * What the hosts may do: everything under the prefix, answers to agents, and what they need of JetStream. They may not delete
 * or purge, because an agent chooses the subject that its question is answered on.
 */
export function hostPermissions(subjects: Subjects): NatsPermissions {
  const { reportsStream: reports, reportsConsumer: consumer, aliveStream: alive } = subjects;
  const ofReports = [
    `CONSUMER.CREATE.${reports}.${consumer}`,
    `CONSUMER.DURABLE.CREATE.${reports}.${consumer}`,
    `CONSUMER.INFO.${reports}.${consumer}`,
    `CONSUMER.MSG.NEXT.${reports}.${consumer}`,
    `STREAM.MSG.GET.${reports}`,
  ];
  const ofAlive = [
    `STREAM.MSG.GET.${alive}`,
    `DIRECT.GET.${alive}.>`,
    ...['CREATE', 'INFO', 'MSG.NEXT', 'DELETE'].map((call) => `CONSUMER.${call}.${alive}.>`),
  ];
  const ofBoth = ['INFO', 'CREATE', 'UPDATE'].flatMap((call) => [
    `STREAM.${call}.${reports}`,
    `STREAM.${call}.${alive}`,
  ]);
  return {
    publish: [
      `${subjects.prefix}.>`,
      `${subjects.inbox('*')}.>`,
      ...['INFO', ...ofBoth, ...ofReports, ...ofAlive].map((call) => `$JS.API.${call}`),
      `$JS.ACK.${reports}.${consumer}.>`,
    ],
    subscribe: [`${subjects.prefix}.>`, `${subjects.hostsInbox}.>`],
  };
}

/** Writes the block `authorization` of the configuration of nats-server, which lets these users in and no others. */
export function authorizationBlock(users: readonly NatsUser[]): string {
  const lines = users.map(({ name, nkey, permissions: { publish, subscribe } }) =>
    [
      `    # ${name}`,
      '    {',
      `      nkey: ${nkey}`,
      '      permissions: {',
      `        publish: { allow: ${list(publish)} }`,
      `        subscribe: { allow: ${list(subscribe)} }`,
      '      }',
      '    }',
    ].join('\n'),
  );
  return ['authorization {', '  users: [', ...lines, '  ]', '}', ''].join('\n');
}

/** In quotes, because a word that begins with `$` would be a variable. */
function list(subjects: readonly string[]): string {
  return `[${subjects.map((subject) => `"${subject}"`).join(', ')}]`;
}
