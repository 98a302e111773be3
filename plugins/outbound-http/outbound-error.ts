/**
 * Why a request got no response. Its message is a part of a sentence that names the host, never the path, the query or
 * the headers, which may be secret.
 */
export class OutboundError extends Error {
  /**
   * `invalid`: the request cannot be sent as it is. `refused`: its address is not allowed. `timeout`: its time is over.
   * `aborted`: its signal was aborted. `failed`: the name, the network, TLS or the server failed; another try may succeed.
   */
  readonly kind: 'invalid' | 'refused' | 'timeout' | 'aborted' | 'failed';

  constructor(kind: OutboundError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutboundError';
    this.kind = kind;
  }
}

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of this name',
  ENODATA: 'its name has no address',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  ESERVFAIL: 'its name cannot be resolved at the moment',
  EREFUSED: 'its name cannot be resolved at the moment',
  ETIMEOUT: 'its name server does not answer',
  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'it closed the connection before the end of its response',
  EPIPE: 'it closed the connection before the end of its response',
  UND_ERR_SOCKET: 'it closed the connection before the end of its response',
  EHOSTUNREACH: 'it cannot be reached from this network',
  ENETUNREACH: 'it cannot be reached from this network',
  ETIMEDOUT: 'it does not accept a connection in time',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it closed the connection before the end of its response',
  UND_ERR_CONNECT_TIMEOUT: 'it does not accept a connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its response are too large',
};

/** Tells why a request to a host failed. @param host with its port where the URL has one: `example.com:8443`. */
export function outboundError(host: string, error: unknown): OutboundError {
  const known = chainOf(error).find((each) => each instanceof OutboundError);
  if (known) return known;
  const failures = chainOf(error);
  const code = failures.map((each) => each.code ?? '').find((each) => each !== '');
  if (code === 'UND_ERR_INVALID_ARG') return new OutboundError('invalid', messageOf(error), { cause: error });
  const isOnTheWay = failures.some(({ syscall }) => syscall === 'connect');
  const reason =
    sentences[code ?? ''] ??
    // The message of the system names the address.
    (isOnTheWay ? `no connection to it is possible (${code})` : undefined) ??
    (failures.some(({ name }) => name === 'HTTPParserError')
      ? 'its response is not HTTP'
      : (certificateProblem(failures, code) ?? messageOf(error)));
  return new OutboundError('failed', `${host}: ${reason}`, { cause: error });
}

/** Codes of OpenSSL and Node that say why a certificate is not trusted. */
const certificateCode = /CERT|SELF_SIGNED|ERR_TLS_|UNABLE_TO_(?:GET|VERIFY)|HOSTNAME_MISMATCH/;

function certificateProblem(failures: readonly Failure[], code: string | undefined): string | null {
  if (code === undefined) return null;
  // What follows a semicolon is advice on the options of Node.
  const [reason] = (failures[0]?.message ?? code).split(';');
  if (certificateCode.test(code)) return `its certificate is not trusted (${reason})`;
  return /^(?:ERR_SSL_|EPROTO)/.test(code) ? 'it does not speak TLS as this machine does' : null;
}

type Failure = Error & { readonly code?: string; readonly syscall?: string };

/** The error, the errors that it gathers of several addresses, and their causes. */
function chainOf(error: unknown): Failure[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return [error, ...inner.flatMap(chainOf)];
}

function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || 'the request failed';
}
