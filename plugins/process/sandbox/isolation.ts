/** What a job is kept from, in systemd's words (PrivateNetwork=, ProtectSystem=strict). */
export interface Isolation {
  /** It has a loopback interface of its own and no other. */
  readonly privateNetwork: boolean;
  /** It can write to its working directory and a HOME of its own only, and to a /tmp, a /var/tmp and a /dev that end with it. */
  readonly readOnlyRoot: boolean;
}

export const noIsolation: Isolation = { privateNetwork: false, readOnlyRoot: false };

/** The isolation that options ask for, those of the plugin or those of a template. */
export function isolationOf(options: {
  readonly private_network?: boolean | undefined;
  readonly read_only_root?: boolean | undefined;
}): Isolation {
  return { privateNetwork: options.private_network ?? false, readOnlyRoot: options.read_only_root ?? false };
}

/** Whether a job is kept from anything. */
export function isIsolated({ privateNetwork, readOnlyRoot }: Isolation): boolean {
  return privateNetwork || readOnlyRoot;
}

/** Both together: what one of them asks for, the other cannot take back. */
export function combined(one: Isolation, other: Isolation): Isolation {
  return {
    privateNetwork: one.privateNetwork || other.privateNetwork,
    readOnlyRoot: one.readOnlyRoot || other.readOnlyRoot,
  };
}
