import { slugOf } from '@horarium/core/plugin';

/** What stands between the commands of a line of the shell. */
const separators = /&&|\|\||[;\n{}()]|(?<=^|\s)(?:then|do|else)(?=\s)/;
/** Commands that prepare or guard what a line is there for. */
const guards =
  /^(?:if|while|until|for|test|\[|!|cd|export|set|unset|umask|ulimit|command|type|which|sleep|exit|true|false|fi|done|source|\.|:)(?=\s|$)/;
/** `perl -e 'sleep int(rand(3600))'` and the like, which spread the load. */
const waits = /\bsleep\b/;
/** Programs that run another one, which the line is named after. */
const wrappers = new Set([
  'nice',
  'ionice',
  'env',
  'nohup',
  'setsid',
  'time',
  'chronic',
  'exec',
  'eval',
  'sudo',
  'timeout',
  'flock',
  'chrt',
  'taskset',
  'systemd-cat',
]);
/** Programs that run a file, which the line is named after. */
const interpreters = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'python',
  'python2',
  'python3',
  'perl',
  'php',
  'ruby',
  'node',
]);

/** Returns what people would call what a line of a file runs: a timer has a name of its own. */
export function nameOfLine(file: string, command: string): string {
  return /([^/]+)\.timer$/.exec(file)?.[1] ?? programName(command);
}

/**
 * Returns what people would call the program that a line of a crontab is there for: `certbot` for
 * `test -x /usr/bin/certbot && certbot -q renew`; `job` where it is unknown.
 */
export function programName(command: string): string {
  const commands = maskQuoted(command)
    .split(separators)
    .map((each) => each.trim());
  const [first = ''] = commands.filter((each) => each !== '' && !guards.test(each) && !waits.test(each));
  const script = shellScript.exec(first)?.groups?.['script'];
  if (script !== undefined) return programName(unmask(script));
  const name = nameIn(first.split(/[ \t]+/));
  return name === '' ? 'job' : name;
}

/** `sh -c 'a && b'` */
const shellScript = /^(?:\S*\/)?(?:ba|da|z|k)?sh[ \t]+-\w*c[ \t]+(["'])(?<script>.+)\1/;

/** Makes another character of each one in quotes and in `$(…)` that would separate commands. */
function maskQuoted(command: string): string {
  return command
    .replace(/\$\([^()]*\)|`[^`]*`/g, '_')
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/gs, (quoted) =>
      quoted.replace(/[;&|(){}\n]/g, (separator) => String.fromCharCode(separator.charCodeAt(0) + mask)),
    );
}

function unmask(text: string): string {
  return text.replace(/[\ue000-\ue07f]/g, (masked) => String.fromCharCode(masked.charCodeAt(0) - mask));
}

/** Where Unicode begins what means nothing by itself. */
const mask = 0xe000;

function nameIn(words: readonly string[]): string {
  let isWrapped = false;
  for (const [index, word] of words.entries()) {
    const bare = word.replace(/^["']+|["']+$/g, '');
    if (/^[A-Za-z_]\w*=/.test(bare) || bare.startsWith('-')) continue;
    // What a wrapper takes before the program: `timeout 5m`, `flock /run/lock/x`, `sudo -u www-data`.
    const isArgument =
      isWrapped && (/^[\d.]+[smhd%]?$|\.(?:lock|pid)$/.test(bare) || isValueOf(words[index - 1] ?? ''));
    if (bare === '' || isArgument) continue;
    const base = /([^/\\]+)\/*$/.exec(bare)?.[1] ?? '';
    if (wrappers.has(base) || interpreters.has(base)) {
      isWrapped = true;
      continue;
    }
    const slug = slugOf(base.replace(/\.(?:sh|bash|py|pl|php|rb|js|mjs|cjs|ts|jar)$/i, ''));
    if (slug !== '') return slug;
  }
  return '';
}

/** Whether the word after this one belongs to it, and is no program. */
function isValueOf(word: string): boolean {
  return /^(?:flock|-[ugnpwo])$/.test(word);
}
