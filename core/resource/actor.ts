export const roles = ['super_admin', 'admin', 'editor', 'user', 'viewer'] as const;
/** What a user may do everywhere (RBAC). */
export type Role = (typeof roles)[number];

export const companyRoles = ['viewer', 'operator', 'manager', 'admin'] as const;
/** What a user may do inside one company. */
export type CompanyRole = (typeof companyRoles)[number];

export const channels = ['http', 'ui', 'cli', 'embedded', 'system'] as const;
/** The way a request came in. */
export type Channel = (typeof channels)[number];

/** Who makes a request, with which rights, through which channel. Every change is audited under an actor. */
export interface Actor {
  readonly channel: Channel;
  /** `scheduler`, `root on host7` or a login. */
  readonly name: string;
  /** Null for the service itself and for the operating system's users. */
  readonly userId: number | null;
  readonly roles: ReadonlySet<Role>;
  /** Role by company id. */
  readonly memberships: ReadonlyMap<number, CompanyRole>;
  readonly ip: string | null;
  readonly requestId: string | null;
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
    requestId: null,
  };
}
