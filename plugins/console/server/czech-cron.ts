import cronstrue from 'cronstrue';
import 'cronstrue/locales/cs.js';

const { locales } = cronstrue.default;

type Locale = (typeof locales)[string];

const stock = locales['cs'] as Locale;

/** A day of the week as the time when something happens, Sunday first. */
const onDays = ['v neděli', 'v pondělí', 'v úterý', 've středu', 've čtvrtek', 'v pátek', 'v sobotu'];
/** The same as an end of a span. */
const ofDays = ['neděle', 'pondělí', 'úterý', 'středy', 'čtvrtka', 'pátku', 'soboty'];
const inMonths = [
  ...['lednu', 'únoru', 'březnu', 'dubnu', 'květnu', 'červnu'],
  ...['červenci', 'srpnu', 'září', 'říjnu', 'listopadu', 'prosinci'],
];
const ofMonths = [
  ...['ledna', 'února', 'března', 'dubna', 'května', 'června'],
  ...['července', 'srpna', 'září', 'října', 'listopadu', 'prosince'],
];

/** Days of the week whose names are feminine. */
const feminine = new Set(['0', '3', '6']);

/** Counts in Czech: two to four of a thing are in another case than more of them. */
function every(few: string, many: string): (count?: string) => string {
  return (count = '') => (['2', '3', '4'].includes(count) ? `každé %s ${few}` : `každých %s ${many}`);
}

function ordinal(masculine: string, other: string): (day?: string) => string {
  return (day = '') => (feminine.has(day) ? other : masculine);
}

const afterComma =
  (words: (count?: string) => string): ((count?: string) => string) =>
  (count) =>
    `, ${words(count)}`;

/** The words of cronstrue, which leaves names of days and months undeclined, in the cases that their sentences take. */
const declined: Partial<Locale> & Pick<Locale, 'daysOfTheWeek' | 'monthsOfTheYear'> = {
  everyX0Seconds: every('sekundy', 'sekund'),
  everyX0Minutes: every('minuty', 'minut'),
  everyX0Hours: every('hodiny', 'hodin'),
  commaEveryX0Days: afterComma(every('dny', 'dnů')),
  commaEveryX0DaysOfTheWeek: afterComma((count) => `${every('dny', 'dnů')(count)} v týdnu`),
  commaEveryX0Months: afterComma(every('měsíce', 'měsíců')),
  commaEveryX0Years: afterComma(every('roky', 'let')),
  secondsX0ThroughX1PastTheMinute: () => 'v sekundách %s až %s každé minuty',
  atX0SecondsPastTheMinute: () => 'v %s. sekundě každé minuty',
  minutesX0ThroughX1PastTheHour: () => 'v minutách %s až %s každé hodiny',
  atX0MinutesPastTheHour: () => 'v %s. minutě každé hodiny',
  commaBetweenDayX0AndX1OfTheMonth: () => ', od %s. do %s. dne v měsíci',
  first: () => 'první',
  second: ordinal('druhý', 'druhou'),
  third: () => 'třetí',
  fourth: ordinal('čtvrtý', 'čtvrtou'),
  fifth: ordinal('pátý', 'pátou'),
  commaOnlyOnX0: () => ', pouze %s',
  // A pattern with both a day of the month and one of the week fires on each of them.
  commaAndOnX0: () => ' a také %s',
  commaAndX0ThroughX1: () => ' a také od %s do %s',
  daysOfTheWeek: () => onDays,
  daysOfTheWeekInCase: (form) => (form === undefined ? onDays : ofDays),
  monthsOfTheYear: () => inMonths,
  monthsOfTheYearInCase: () => ofMonths,
};

locales['cs'] = Object.assign(Object.create(stock), declined) as Locale;

/** Puts what is left in order: the preposition of a counted day, the comma before the last of a list, and `ve` before some hours. */
export function inCzech(text: string): string {
  return text
    .replace(/(první|druhý|druhou|třetí|čtvrtý|čtvrtou|pátý|pátou|poslední) ve? (?=\p{Ll}+ v měsíci)/gu, '$1 ')
    .replaceAll(', a ', ' a ')
    .replace(/(^|[ ])([Vv]) (?=(?:0[234]|1[234]|2\d):)/g, '$1$2e ');
}
