/** What the sandbox of a job keeps it from, in systemd's words (PrivateNetwork=, ProtectSystem=strict), and its limits. */
export interface SandboxOptions {
  /** It has a loopback interface of its own and no other. */
  readonly privateNetwork: boolean;
  /** It can write to its working directory and a HOME of its own only, and to a /tmp, a /var/tmp and a /dev that end with it. */
  readonly readOnlyRoot: boolean;
  /** Bytes that its processes may have together; null = any number. */
  readonly memoryMax: number | null;
  /** Processes and threads; null = any number. */
  readonly pidsMax: number | null;
  /** Percent of one processor, 200 is two; null = any. */
  readonly cpuMax: number | null;
}

export const unrestricted: SandboxOptions = {
  privateNetwork: false,
  readOnlyRoot: false,
  memoryMax: null,
  pidsMax: null,
  cpuMax: null,
};

/** The options of a sandbox, as the plugin or a template names them. */
export function sandboxOptionsOf(options: {
  readonly private_network?: boolean | undefined;
  readonly read_only_root?: boolean | undefined;
  readonly memory_max?: number | null | undefined;
  readonly pids_max?: number | null | undefined;
  readonly cpu_max?: number | null | undefined;
}): SandboxOptions {
  return {
    privateNetwork: options.private_network ?? false,
    readOnlyRoot: options.read_only_root ?? false,
    memoryMax: options.memory_max ?? null,
    pidsMax: options.pids_max ?? null,
    cpuMax: options.cpu_max ?? null,
  };
}

/** Both together: neither can lift what the other says, and the lower limit counts. */
export function strictest(one: SandboxOptions, other: SandboxOptions): SandboxOptions {
  return {
    privateNetwork: one.privateNetwork || other.privateNetwork,
    readOnlyRoot: one.readOnlyRoot || other.readOnlyRoot,
    memoryMax: lower(one.memoryMax, other.memoryMax),
    pidsMax: lower(one.pidsMax, other.pidsMax),
    cpuMax: lower(one.cpuMax, other.cpuMax),
  };
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Whether a job is kept from anything. */
export function isIsolated({ privateNetwork, readOnlyRoot }: SandboxOptions): boolean {
  return privateNetwork || readOnlyRoot;
}

/** Whether anything is limited. */
export function isLimited({ memoryMax, pidsMax, cpuMax }: SandboxOptions): boolean {
  return memoryMax !== null || pidsMax !== null || cpuMax !== null;
}

export function isRestricted(options: SandboxOptions): boolean {
  return isIsolated(options) || isLimited(options);
}
