import { runSystemTool } from '../system-tool.ts';

type Environment = Record<string, string | undefined>;

/** Takes the address where systemd waits for news of a service out of an environment, so that no other process inherits it. */
export function takeNotifySocket(environment: Environment): string | undefined {
  const { NOTIFY_SOCKET: socket } = environment;
  delete environment['NOTIFY_SOCKET'];
  return socket;
}

/**
 * Notifies systemd that the service is ready, by the program `systemd-notify`, because Node has no datagram sockets of that
 * family. From then on systemd (254 or newer) ignores further messages, also from jobs.
 * @param socket as `takeNotifySocket` returns it.
 * @throws Error if the program is missing or fails.
 */
export async function notifySystemd(socket: string): Promise<void> {
  await runSystemTool('systemd-notify', ['--ready', 'NOTIFYACCESS=none'], { NOTIFY_SOCKET: socket });
}
