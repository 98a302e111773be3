import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { AgentProcess } from '../../support/nats/agent-process.ts';
import { natsServer, TestNats } from '../../support/nats/test-nats.ts';
import { type Attack, NotTried } from '../attack.ts';
import { openTarget, worldOf } from '../own-target.ts';
import type { Target, Tenant } from '../target.ts';
import { TakenAgent } from './taken-agent.ts';

/** Whom NATS lets do what: what `agent:permissions` prints, or everybody anything. */
type Guard = 'with permissions' | 'without permissions';

/** A service with agents and a NATS of its own. */
export class FleetTarget implements AsyncDisposable {
  readonly target: Target;
  readonly nats: TestNats;
  readonly guard: Guard;
  readonly #service: AsyncDisposable;

  private constructor(target: Target, nats: TestNats, guard: Guard, service: AsyncDisposable) {
    this.target = target;
    this.nats = nats;
    this.guard = guard;
    this.#service = service;
  }

  static async open(of: Target, guard: Guard): Promise<FleetTarget> {
    const { kind } = worldOf(of);
    if (natsServer === undefined) throw new NotTried('HORARIUM_TEST_NATS_SERVER names no nats-server');
    const nats = await TestNats.start();
    const fleet = {
      servers: [nats.url],
      host_key_file: join(temporaryFolder('hosts'), 'key'),
      lease: 2,
      max_file_size: 1000,
      max_total_file_size: 1500,
      max_files: 3,
    };
    const service = await openTarget(kind, {
      HORARIUM_PLUGINS: 'built-in,fleet-nats',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'fleet-nats': fleet }),
    });
    return new FleetTarget(service.target, nats, guard, service);
  }

  /** Adds an agent with a pool of its own. @returns its name and its pool, which are the same, and its credential. */
  async enroll(): Promise<{ readonly name: string; readonly credential: string }> {
    const name = `agent-${randomUUID().slice(0, 8)}`;
    const { out } = await this.command('agent:enroll', name, '--pool', name);
    await this.writePermissions();
    return { name, credential: out.trim() };
  }

  /** Enrolls an agent whose credential is an attacker's. */
  async takeAgent(): Promise<TakenAgent> {
    return TakenAgent.join((await this.enroll()).credential);
  }

  /** Starts a program that is an agent. */
  async startAgent(): Promise<HonestAgent> {
    const { name, credential } = await this.enroll();
    const process = await new AgentProcess(credential).started();
    return { name, credential, process, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
  }

  /** Lets NATS go by the agents that there are. */
  async writePermissions(): Promise<void> {
    if (this.guard === 'without permissions') return;
    this.nats.configure((await this.command('agent:permissions')).out);
    await this.nats.reload();
  }

  /** Runs a command on the machine of the service. @throws Error when it fails. */
  async command(...line: readonly string[]): Promise<{ readonly out: string }> {
    const result = await worldOf(this.target).cli.run(line);
    if (result.code !== 0) throw new Error(`horarium ${line.join(' ')} failed: ${result.err}`);
    return result;
  }

  /** Adds a template whose jobs run a script in a pool. @returns its id. */
  async addTemplate(tenant: Tenant, pool: string, script: string, fields: object = {}): Promise<number> {
    const app = await this.target.addShellApp(script, { environment: { SECRET: { type: 'password' } } });
    return this.target.addTemplate(tenant, app, { executor: 'agent', executor_options: { pool }, ...fields });
  }

  /** Adds a job of a pool. @returns its id. */
  async addJob(tenant: Tenant, pool: string, script: string, fields: object = {}): Promise<number> {
    const runtemplate_id = await this.addTemplate(tenant, pool, script, fields);
    return (await tenant.operator.save('job', { runtemplate_id })).id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
    await this.nats.close();
  }
}

/** An agent that nobody has taken. */
export interface HonestAgent extends AsyncDisposable {
  readonly name: string;
  readonly credential: string;
  readonly process: AgentProcess;
}

/** The fleets that attacks share. */
const fleets = new WeakMap<Target, Map<Guard, Promise<FleetTarget>>>();

/** Opens a fleet beside a target, which closes it. @throws NotTried where there is no nats-server. */
export function fleetOf(target: Target, guard: Guard): Promise<FleetTarget> {
  const opened = fleets.get(target) ?? new Map<Guard, Promise<FleetTarget>>();
  fleets.set(target, opened);
  const fleet = opened.get(guard) ?? target.owned(FleetTarget.open(target, guard));
  opened.set(guard, fleet);
  return fleet;
}

/** Makes an attack of an agent that is taken over; it is tried on a NATS with permissions, and on one without. */
export function fleetAttack(
  claim: string,
  attempt: (fleet: FleetTarget) => Promise<string | null>,
  guards: readonly Guard[] = ['with permissions', 'without permissions'],
): Attack {
  return {
    claim,
    attempt: async (target) => {
      for (const guard of guards) {
        const breach = await attempt(await fleetOf(target, guard));
        if (breach !== null) return `${guard}: ${breach}`;
      }
      return null;
    },
  };
}
