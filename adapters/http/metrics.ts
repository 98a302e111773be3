import { type EventLoopBlock, HorariumError, type PluginGauge, type ServiceFigures, taskStates } from '@horarium/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const summaryOutcomes = ['on_time', 'late', 'failed', 'missed', 'cancelled', 'overdue', 'will_be_late'] as const;
/** How many agents have figures of their own: those that come first by their names. */
const maxAgents = 1000;
const labelNames = ['method', 'route', 'status'] as const;
/** The bounds of the duration histogram in seconds: from a cached response to one that clients have given up on. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Collects metrics for Prometheus: of this process and its requests, and of the service as a whole. */
export class Metrics {
  static readonly mime = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #process = new Registry();
  readonly #service = new Registry();
  /** Left out of the text where nothing runs on agents. */
  readonly #ofAgents = new Registry();
  readonly #requests: Counter<(typeof labelNames)[number]>;
  readonly #seconds: Histogram<(typeof labelNames)[number]>;
  readonly #limited: Counter;
  readonly #inFlight: Gauge;
  readonly #blocks: Histogram<'by'>;
  readonly #jobs = this.#gauge('horarium_jobs', 'Jobs by state, counted every so often.', ['state']);
  readonly #tasks = this.#gauge(
    'horarium_tasks',
    'Tasks that have not ended, or ended in the last 24 hours, by state and company.',
    ['state', 'company', 'runtemplate'],
  );
  readonly #summaryTasks = this.#gauge(
    'horarium_summary_tasks',
    'Tasks by outcome since the start of the day, and those that are overdue or will be late: the numbers of horarium summary.',
    ['outcome'],
  );
  readonly #summaryOk = this.#gauge('horarium_summary_ok', 'Whether horarium summary finds no problem: 1 or 0.');
  readonly #notRun = this.#gauge(
    'horarium_summary_templates_without_worker',
    'Active run templates whose jobs no live worker and no agent can run.',
  );
  readonly #pauses = this.#gauge('horarium_pauses', 'Pauses in force.');
  readonly #lag = this.#gauge('horarium_scheduler_lag_seconds', 'How long the most overdue window waits for its Task.');
  readonly #due = this.#gauge('horarium_queue_due_jobs', 'Jobs that are due and wait for a worker.');
  readonly #workers = this.#gauge('horarium_workers', 'Processes that run jobs.');
  readonly #capacity = this.#gauge('horarium_workers_capacity_jobs', 'Jobs that all of them can run at once.');
  readonly #agents = this.#gauge('horarium_agents', 'Agents that are alive.', [], this.#ofAgents);
  readonly #agentSlots = this.#gauge(
    'horarium_agent_slots',
    `Jobs that an agent runs at once, of the first ${maxAgents} that are alive, by their names; 0 = it takes no further ones.`,
    ['agent'],
    this.#ofAgents,
  );
  readonly #agentJobs = this.#gauge(
    'horarium_agent_running_jobs',
    `Jobs that an agent runs, of the first ${maxAgents} that are alive, by their names.`,
    ['agent'],
    this.#ofAgents,
  );
  readonly #clockHeld = this.#gauge(
    'horarium_clock_held_seconds',
    'How far the clock of the store is ahead of the time of the service, until an admin confirms it.',
  );
  readonly #clockRepeats = this.#gauge(
    'horarium_clock_repeats_seconds',
    'How long the clock of the store, which was set back, will show time that it has shown before.',
  );
  readonly #clockSteps = this.#gauge('horarium_clock_steps', 'How often the clock of the store jumped ahead or back.');

  /** @param gauges of plugins. @throws HorariumError `conflict` for one that has the name of another metric. */
  constructor(gauges: Iterable<PluginGauge> = []) {
    const registers = [this.#process];
    // Memory, CPU, garbage collection, and how late the event loop is.
    collectDefaultMetrics({ register: this.#process });
    this.#requests = new Counter({
      name: 'horarium_http_requests_total',
      help: 'Requests that were answered.',
      labelNames,
      registers,
    });
    this.#seconds = new Histogram({
      name: 'horarium_http_request_duration_seconds',
      help: 'The time until the response began.',
      labelNames,
      buckets,
      registers,
    });
    this.#blocks = new Histogram({
      name: 'horarium_event_loop_blocked_seconds',
      help: 'Stretches of more than 200 ms in which nothing else was done, by the work that took them.',
      labelNames: ['by'],
      buckets: [0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    });
    this.#limited = new Counter({
      name: 'horarium_http_requests_limited_total',
      help: 'Requests that were refused because their user had sent too many.',
      registers,
    });
    this.#inFlight = new Gauge({
      name: 'horarium_http_requests_under_way',
      help: 'Requests that are being answered.',
      registers,
    });
    for (const gauge of gauges) this.#addGauge(gauge);
  }

  /** Counts a block of the event loop, by the work that is to blame where that is known. */
  blocked({ duration, by, underWay }: EventLoopBlock): void {
    this.#blocks.observe({ by: by ?? (underWay.length > 0 ? 'one of several' : 'none') }, duration / 1000);
  }

  /** Counts a request that was refused because its user had sent too many. */
  limited(): void {
    this.#limited.inc();
  }

  begin(): void {
    this.#inFlight.inc();
  }

  /** @param route the path as the table of routes writes it, never as a request wrote it: there are few of them. */
  end(method: string, route: string, status: number, seconds: number): void {
    this.#inFlight.dec();
    const labels = { method, route, status: String(status) };
    this.#requests.inc(labels);
    this.#seconds.observe(labels, seconds);
  }

  /** Writes the metrics as text. @param figures of the service; null leaves only the metrics of this process. */
  async text(figures: ServiceFigures | null): Promise<string> {
    const processMetrics = await this.#process.metrics();
    if (!figures) return processMetrics;
    for (const [state, count] of Object.entries(figures.jobs)) this.#jobs.set({ state }, count);
    this.#setTasks(figures.tasks);
    for (const outcome of summaryOutcomes) this.#summaryTasks.set({ outcome }, figures.summary[outcome]);
    this.#summaryOk.set(figures.summary.ok ? 1 : 0);
    this.#notRun.set(figures.summary.will_not_run);
    this.#pauses.set(figures.summary.paused);
    this.#lag.set(figures.lagSeconds);
    this.#due.set(figures.due);
    this.#workers.set(figures.workers);
    this.#capacity.set(figures.capacity);
    this.#clockHeld.set(figures.clockHeldSeconds);
    this.#clockRepeats.set(figures.clockRepeatsSeconds);
    this.#clockSteps.set(figures.clockSteps);
    const texts = [processMetrics, await this.#service.metrics()];
    if (figures.agents) texts.push(await this.#textOfAgents(figures.agents));
    return texts.join('\n');
  }

  /** Writes the figures of agents; those of one that is gone disappear. */
  #textOfAgents(agents: NonNullable<ServiceFigures['agents']>): Promise<string> {
    this.#agents.set(agents.length);
    this.#agentSlots.reset();
    this.#agentJobs.reset();
    for (const { agent, slots, running } of agents.slice(0, maxAgents)) {
      this.#agentSlots.set({ agent }, slots);
      this.#agentJobs.set({ agent }, running);
    }
    return this.#ofAgents.metrics();
  }

  /** Sets a figure for each state of each company, so that one that falls to zero is shown as such. */
  #setTasks(counts: ServiceFigures['tasks']): void {
    this.#tasks.reset();
    for (const { company, template } of counts)
      for (const state of taskStates) this.#tasks.set(taskLabels(state, company, template), 0);
    for (const { state, company, template, count } of counts)
      this.#tasks.set(taskLabels(state, company, template), count);
  }

  /** Adds a gauge of a plugin, which is read with each text. It has no value while it is not known. */
  #addGauge({ name: given, help, read }: PluginGauge): void {
    const name = `horarium_${given}`;
    if ([this.#process, this.#service, this.#ofAgents].some((registry) => registry.getSingleMetric(name)))
      throw new HorariumError(
        'conflict',
        `A plugin provides the gauge ${given}, and ${name} is a metric of the service.`,
      );
    new Gauge({
      name,
      help,
      registers: [this.#process],
      async collect() {
        const value = await (async () => read())().catch(() => null);
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }

  #gauge<T extends string>(
    name: string,
    help: string,
    labelNames: T[] = [],
    register: Registry = this.#service,
  ): Gauge<T> {
    return new Gauge({ name, help, labelNames, registers: [register] });
  }
}

function taskLabels(state: string, company: string, template: number | null) {
  return { state, company, ...(template !== null && { runtemplate: String(template) }) };
}
