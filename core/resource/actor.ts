export const roles = ['super_admin', 'admin', 'editor', 'user', 'viewer'] as const;
/** A role of a user in the whole service (RBAC), from the highest to the lowest. */
export type Role = (typeof roles)[number];

export const companyRoles = ['viewer', 'operator', 'manager', 'admin'] as const;
/** A role of a user in one company, from the lowest to the highest. */
export type CompanyRole = (typeof companyRoles)[number];

export const channels = ['http', 'ui', 'cli', 'embedded', 'system'] as const;
/** The way a request came in. */
export type Channel = (typeof channels)[number];

/** Where a request came from. The audit log records all of it but the network. */
export interface RequestOrigin {
  readonly channel: Channel;
  readonly ip: string | null;
  /** The address block of one client, such as the /64 of an IPv6 address; failed logins are limited for each block. */
  readonly network: string | null;
  readonly requestId: string | null;
}

/** Who makes a request, with which rights, through which channel. Every change is audited under an actor. */
export interface Actor extends RequestOrigin {
  /** A part of the service (`scheduler`), a user of the operating system (`jana on host7`), or a login. */
  readonly name: string;
  /** Null for the service itself and for the operating system's users. */
  readonly userId: number | null;
  readonly roles: ReadonlySet<Role>;
  /** Role by company id. */
  readonly memberships: ReadonlyMap<number, CompanyRole>;
}

/** An actor that may do everything: a part of the service such as `scheduler`, or a local administrator. */
export function trustedActor(name: string, channel: Channel = 'system'): Actor {
  return {
    channel,
    name,
    userId: null,
    roles: new Set<Role>(['super_admin']),
    memberships: new Map(),
    ip: null,
    network: null,
    requestId: null,
  };
}
