import { createHash } from 'node:crypto';

/** The names of agents and pools. */
export const fleetName = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The option `subject_prefix`: one token of a subject, from which the names of the streams are made too. */
export const subjectPrefix = /^[a-z][a-z0-9-]{0,31}$/;

/** No agent has such a name. */
const hostsToken = '_hosts';

/** The queue group of the hosts: each request of an agent reaches one of them. */
export const hostsQueue = 'hosts';

/** The subjects, the inboxes and the names of streams under one prefix. */
export class Subjects {
  readonly prefix: string;
  /** Signs of life of the hosts. */
  readonly hosts: string;
  /** The prefix of the inboxes of the hosts. */
  readonly hostsInbox: string;
  readonly reportsStream: string;
  readonly aliveStream: string;
  /** The durable consumer of the stream of reports, which all hosts share. */
  readonly reportsConsumer = 'hosts';

  /** @param prefix matches `subjectPrefix`. */
  constructor(prefix: string) {
    this.prefix = prefix;
    this.hosts = `${prefix}.hosts`;
    this.hostsInbox = `_INBOX_${prefix}.hosts`;
    this.reportsStream = `${prefix.toUpperCase()}_REPORTS`;
    this.aliveStream = `${prefix.toUpperCase()}_ALIVE`;
  }

  /** Hosts publish that there is work in a pool. */
  work(pool: string): string {
    return `${this.prefix}.work.${pool}`;
  }

  /** An agent asks the hosts. @param agent `*` = any. */
  ask(agent: string): string {
    return `${this.prefix}.ask.${agent}`;
  }

  /** An agent reports what becomes of its attempts. @param agent `*` = any. */
  report(agent: string): string {
    return `${this.prefix}.report.${agent}`;
  }

  /** An agent says that it lives. @param agent `*` = any. */
  alive(agent: string): string {
    return `${this.prefix}.alive.${agent}`;
  }

  /** Hosts store there that they are there. @param key the public key by which they sign. */
  hostsStored(key: string): string {
    return this.alive(`${hostsToken}-${key}`);
  }

  /** Hosts that do not serve agents yet store there what they date by the clock of the broker. */
  get hostsClock(): string {
    return this.alive(hostsToken);
  }

  /** Returns the key of the hosts that store there; undefined for any other subject. */
  hostKeyOf(subject: string): string | undefined {
    const prefix = this.hostsStored('');
    return subject.startsWith(prefix) ? subject.slice(prefix.length) : undefined;
  }

  /** Hosts tell an agent what it is to do. */
  tell(agent: string): string {
    return `${this.prefix}.tell.${agent}`;
  }

  /**
   * The prefix of the inboxes of an agent. The name is a token of its own, so that no agent reads the inboxes of the hosts or of
   * an agent whose name continues its own.
   */
  inbox(agent: string): string {
    return `_INBOX_${this.prefix}.agent.${agent}`;
  }

  /**
   * Whether a question of an agent asks for the answer in one of its own inboxes. Hosts answer nowhere else, because they may
   * publish what the agent may not.
   */
  isInboxOf(agent: string, reply: string | undefined): boolean {
    return reply?.startsWith(`${this.inbox(agent)}.`) ?? false;
  }

  /** Returns the agent that a subject `ask`, `report` or `alive` is of; undefined for any other subject. */
  agentOf(subject: string): string | undefined {
    const [prefix, kind = '', agent = '', ...others] = subject.split('.');
    const isOfAgent = prefix === this.prefix && ['ask', 'report', 'alive'].includes(kind) && others.length === 0;
    return isOfAgent && fleetName.test(agent) ? agent : undefined;
  }
}

/**
 * Returns the queue group in which the agents with these labels listen for work, so that one agent of each kind asks.
 */
export function labelsQueue(labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32);
}
