import { createUser } from '@nats-io/nkeys';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { encodeCredential } from '../../../plugins/fleet-nats/wire/keys/credential.ts';
import { PrivateKeys } from '../../../plugins/fleet-nats/wire/keys/keys.ts';
import { connectNats, type NatsAccess } from '../../../plugins/fleet-nats/wire/nats/connect-nats.ts';
import {
  agentPermissions,
  authorizationBlock,
  hostPermissions,
  type NatsUser,
} from '../../../plugins/fleet-nats/wire/nats/permissions.ts';
import { Subjects } from '../../../plugins/fleet-nats/wire/subjects.ts';
import { TestNats } from './test-nats.ts';

const noTls = { ca: null, certificate: null, key: null };

/** Agents and hosts that NATS lets in, and an observer who may do everything. */
export class NatsFleet {
  readonly subjects = new Subjects('horarium');
  readonly hosts = PrivateKeys.generate();
  /** The keys of a host that has a file of its own by mistake. */
  readonly otherHosts = PrivateKeys.generate();
  readonly #observer = createUser();
  readonly #agents = new Map<string, { readonly keys: PrivateKeys; readonly pools: readonly string[] }>();
  readonly #connections: NatsConnection[] = [];
  servers: readonly TestNats[] = [];

  /** @param agents the pools of each agent, by its name. */
  constructor(agents: Readonly<Record<string, readonly string[]>>) {
    for (const [name, pools] of Object.entries(agents)) this.#agents.set(name, { keys: PrivateKeys.generate(), pools });
  }

  /** Starts one server that lets all of them in. @param configuration more of its configuration. */
  async start(configuration = ''): Promise<this> {
    this.servers = [await TestNats.start(`${this.configuration()}\n${configuration}`)];
    return this;
  }

  async startCluster(): Promise<this> {
    this.servers = await TestNats.startCluster(this.configuration());
    return this;
  }

  get server(): TestNats {
    return this.servers[0] as TestNats;
  }

  /** The configuration of a server. @param revoked an agent that it does not let in. */
  configuration(revoked?: string): string {
    const agents: NatsUser[] = [...this.#agents]
      .filter(([name]) => name !== revoked)
      .map(([name, { keys, pools }]) => ({
        name,
        nkey: keys.publicKeys.texts.signing,
        permissions: agentPermissions(this.subjects, name, pools),
      }));
    const hosts = [this.hosts, this.otherHosts].map((keys) => ({
      name: 'hosts',
      nkey: keys.publicKeys.texts.signing,
      permissions: hostPermissions(this.subjects),
    }));
    const everything = { publish: ['>'], subscribe: ['>'] };
    const observer = { name: 'observer', nkey: this.#observer.getPublicKey(), permissions: everything };
    return authorizationBlock([...hosts, ...agents, observer]);
  }

  keysOf(agent: string): PrivateKeys {
    return this.#agents.get(agent)?.keys as PrivateKeys;
  }

  accessOf(agent: string): NatsAccess {
    const keys = this.keysOf(agent);
    return { name: `agent ${agent}`, keys, inbox: this.subjects.inbox(agent), ...this.#place, tls: noTls };
  }

  connectAgent(name: string): Promise<NatsConnection> {
    return this.#kept(connectNats(this.accessOf(name)));
  }

  /** The credential of an agent, as `agent:enroll` prints it. */
  credentialOf(agent: string): string {
    const { keys, pools } = this.#agents.get(agent) as { keys: PrivateKeys; pools: readonly string[] };
    const { prefix } = this.subjects;
    return encodeCredential({ agent, pools, prefix, keys, hosts: this.hosts.publicKeys, ...this.#place });
  }

  get hostAccess(): NatsAccess {
    return { name: 'host test', keys: this.hosts, inbox: this.subjects.hostsInbox, ...this.#place, tls: noTls };
  }

  connectHost(): Promise<NatsConnection> {
    return this.#kept(connectNats(this.hostAccess));
  }

  connectObserver(): Promise<NatsConnection> {
    const authenticator = nkeyAuthenticator(this.#observer.getSeed());
    return this.#kept(connect({ servers: this.server.url, authenticator, maxReconnectAttempts: -1 }));
  }

  /** Closes the connections and the servers. */
  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await Promise.all(this.servers.map((server) => server.close()));
  }

  get #place() {
    return { servers: this.servers.map(({ url }) => url), jwt: null };
  }

  async #kept(connecting: Promise<NatsConnection>): Promise<NatsConnection> {
    const connection = await connecting;
    this.#connections.push(connection);
    return connection;
  }
}
