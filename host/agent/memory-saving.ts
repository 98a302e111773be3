import { setFlagsFromString } from 'node:v8';

/** The switches of V8 that save memory. A busy agent does not lose by them: what takes its time are ciphers and system calls. */
const savings: Readonly<Record<string, boolean>> = {
  // What the compilers make that optimize what runs often, and the pages of Node.js that hold them, are 10 MB.
  opt: false,
  maglev: false,
  // V8 collects its garbage sooner: an agent makes so little that V8 would never collect that of its start. This saves 1 MB of an
  // idle agent, and 7 MB of one that has run some hundred jobs.
  'memory-saver-mode': true,
};

/** Has V8 save memory. */
export function saveMemory(): void {
  for (const [name, on] of Object.entries(savings)) setSwitch(name, on);
}

/** Takes that back, for plugins that do not come with the host: they may compute. */
export function saveNoMemory(): void {
  for (const [name, on] of Object.entries(savings)) setSwitch(name, !on);
}

function setSwitch(name: string, on: boolean): void {
  setFlagsFromString(on ? `--${name}` : `--no-${name}`);
}
