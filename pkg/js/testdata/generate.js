// Writes the tables beside it: what JavaScript itself answers.
// Run it with "node generate.js" in this directory. Its output does not change
// from run to run.
'use strict';
const fs = require('fs');

let seed = 20260102;
function random(n) { // mulberry32, an integer below n
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}
const pick = (list) => list[random(list.length)];
const hex = (bytes) => Buffer.from(bytes).toString('hex');

function table(name, columns, rows) {
  const head = `# ${columns.join(' <tab> ')}; written by generate.js\n`;
  fs.writeFileSync(name, head + [...new Set(rows.map((r) => r.join('\t') + '\n'))].join(''));
}

// Numbers: a JSON literal and what JSON.stringify makes of it.
const numbers = `0 -0 0.0 -0.0 0e0 -0e-5 1 -1 1.0 1.50 100 1e2 1E2 1e+2 1.5e3 0.1 0.10 1e21 1e20 123456789012345678901
  1e22 -1e21 999999999999999999999 1000000000000000000000 1e-6 1e-7 0.000001 0.0000001 0.0000015 -1.5e-7 1e-10 1e400 -1e400
  1e308 1.7976931348623157e308 1.7976931348623159e308 1e309 5e-324 4.9e-324 2.4703282292062327e-324 2.4703282292062328e-324
  1e-400 -1e-400 9007199254740991 9007199254740992 9007199254740993 12345678901234567890 18446744073709551615
  9223372036854775807 -9223372036854775808 999999999999999 -99999999999999 1234567890123456 0.1e1 0.30000000000000004
  1.000000000000000000001 123456.789e3 1e0 1.7e+5 2.2250738585072014e-308 2.2250738585072011e-308 1e23 8.5e22 9.5e-7
  4.35 0.5 5e-1 1e5 1e15 1e16 1e17 144115188075855872 1152921504606846976 100000000000000000000000000000000000000`.split(/\s+/);
const view = new DataView(new ArrayBuffer(8));
while (numbers.length < 1200) {
  view.setUint32(0, random(2 ** 32));
  view.setUint32(4, random(2 ** 32));
  const f = view.getFloat64(0);
  if (Number.isFinite(f)) numbers.push(pick([String(f), f.toExponential(), f.toPrecision(17)]));
  numbers.push(`${pick(['', '-'])}${random(10)}.${random(1e6)}`);
  numbers.push(`${1 + random(9)}${random(1e9)}${random(1e9)}${random(1e6)}`);
  numbers.push(`${random(10)}.${random(1e9)}e${pick(['', '-', '+'])}${random(25)}`);
}
table('numbers.txt', ['literal', 'JSON.stringify(JSON.parse(literal))'],
  numbers.map((n) => [n, JSON.stringify(JSON.parse(n))]));

// JSON texts: hand-made ones, then random trees of awkward parts.
const texts = ['null', 'true', 'false', '""', '[]', '{}', ' [ ] ', ' { } ', '[ 1 , 2 ]', '{ "a" : 1 , "b" : [ { } , [ ] ] }',
  '{"b":1,"a":2}', '{"2":1,"1":2,"b":3,"0":4}', '{"b":1,"10":2,"9":3}', '{"01":1,"1":2,"00":3,"0":4,"-0":5,"+1":6}',
  '{"4294967295":1,"4294967294":2,"4294967296":3,"99999999999":4,"9999999999":5}', '{"a":1,"a":2}', '{"a":1,"b":2,"a":3}',
  '{"1":1,"0":2,"1":3}', '{"a":{"z":1,"z":2},"b":0,"a":{"y":1}}', '{"\\u0061":1,"a":2}', '{"\\u0031":1,"0":2}',
  '{"__proto__":1,"a":2,"__proto__":3}', '{"":1,"a":2,"":3}', '{"1.5":1,"1":2,"1e0":3,"-1":4}', '{"constructor":1,"toString":2}',
  '"\\/"', '"\\u002f\\u002F"', '"\\b\\f\\n\\r\\t\\"\\\\"', '"\\u0008\\u000c\\u000a\\u000d\\u0009\\u0022\\u005c"', '"\\u0000\\u001f\\u007f"',
  '"\\u2028\\u2029"', '"\u2028\u2029\u007f<>&"', '"\\ud83d\\ude00"', '"\\uD83D"', '"\\ude00"', '"\\ude00\\ud83d"', '"\\ud83d\\ud83d\\ude00"',
  '"\\ud83dx"', '"\\ud83d\\n"', '"\\ud83d\\u0041"', '"\\udbff\\udfff"', '"\\ud800\\udc00"', '"\u{1F600}"', '"\\u00e9\u00e9"', '"\\ufeff\\uffff\\ufffd"',
  '{"\\ud83d":1,"\\uDE00":2,"\\n":3}', '[1.0,-0,1e21,1e400]', '[[[[[[]]]]],{"a":[{}]}]',
  JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${(i * 7) % 40}`, i]))),
  '{' + Array.from({ length: 40 }, (_, i) => `"${(i * 7) % 20}":${i}`).join(',') + '}',
  '{' + Array.from({ length: 40 }, (_, i) => `"k${(i * 7) % 20}":${i}`).join(' , ') + '}'];
const keys = ['a', 'b', 'c', '', '0', '1', '2', '10', '01', '-1', '4294967294', '4294967295', '\\u0061', '\\u0031', 'é', '\\n', '\\ud800', '__proto__'];
const strings = ['a', 'é', '漢字', '😀', '\\ud83d\\ude00', '\\ud83d', '\\udc00', '\\n', '\\u000A', '\\/', '\\"', '\\\\', '\\u001B', '\u007f', '\u2028', 'text'];
const blank = () => pick(['', '', '', ' ', '  ']);
const literal = () => `"${Array.from({ length: random(5) }, () => pick(strings)).join('')}"`;
function text(depth) {
  const list = (make) => Array.from({ length: random(6) }, () => blank() + make() + blank()).join(',');
  switch (depth > 0 ? random(5) : 2 + random(3)) {
    case 0: return `[${list(() => text(depth - 1))}]`;
    case 1: return `{${list(() => `"${pick(keys)}"${blank()}:${blank()}${text(depth - 1)}`)}}`;
    case 2: return pick(numbers);
    case 3: return literal();
    default: return pick(['true', 'false', 'null']);
  }
}
while (texts.length < 500) texts.push(text(4));
table('stringify.txt', ['JSON text', 'JSON.stringify(JSON.parse(text))', 'its length', 'length of the value if it is a string, else -1'],
  texts.map((t) => {
    const value = JSON.parse(t), out = JSON.stringify(value);
    return [t, out, out.length, typeof value === 'string' ? value.length : -1];
  }));

// Bytes: what a UTF-8 decoder makes of them, as the JSON literal of the text.
const bytes = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 0xbb, 0xbd];
const inputs = ['efbfbd', 'efbbbf41', 'f09f9880', 'f09f98', 'f09f', 'f0', 'e282', 'eda080', 'edb080', 'eda0bdedb880', 'f48fbfbf', 'f4908080'];
while (inputs.length < 1500) inputs.push(hex(Array.from({ length: 1 + random(6) }, () => pick(bytes))));
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
table('utf8.txt', ['bytes in hexadecimal', 'JSON.stringify(the decoded text)', 'its length in UTF-16 code units'], inputs.map((h) => {
  const s = decoder.decode(Buffer.from(h, 'hex'));
  return [h, JSON.stringify(s), s.length];
}));

// Order: one literal a line, sorted by Array.prototype.sort.
const words = ['', 'a', 'aa', 'b', 'Z', 'é', 'e\u0301', '\ud7ff', '\ud800', '\ud800\udc00', '\ud83d', '\ude00', '😀', '😁', '\udbff\udfff', '\udfff',
  '\ue000', '\ufffd', '\uffff', '\uff5e', '漢', '漢字', 'a😀', 'a\uff5e', 'a\ud83d', 'a\ud83dz', 'aaaaaaaa😀b', 'aaaaaaaa😀c', 'aaaaaaaa\uff5eb', 'aaaaaaaa\ue000',
  '漢字漢字😀', '漢字漢字\uff5e', '\u0000', '\u0000\u0000', ' ', '/a/b', '/a-b', '/a/B', '/a'];
table('sorted.txt', ['JSON.stringify(word)'], words.sort().map((w) => [JSON.stringify(w)]));

// Dates: new Date(s).getTime() in a time zone. The test expects a refusal where
// the last column says so, whatever V8 does.
const iso = `2026 2026-01 2026-01-02 2026-02-29 2024-02-29 2024-02-30 2026-02-31 2026-02-32 2026-04-31 2026-00-01 2026-13-01 2026-01-00
  2026-01-02T10:00 2026-01-02T10:00Z 2026-01-02T10:00:01Z 2026-01-02T10:00:01.5Z 2026-01-02T10:00:01.25Z 2026-01-02T10:00:01.678Z
  2026-01-02T10:00:01.6789Z 2026-01-02T10:00:00.123456789Z 2026-01-02T10:00:01.678 2026-01T10:00Z 2026T10:00Z 2026T10:00 2026-01T10:00:00
  2026-01-02T24:00Z 2026-01-02T24:00:00.000Z 2026-01-02T24:00 2026-12-31T24:00 2026-01-02T24:01Z 2026-01-02T24:00:01Z 2026-01-02T24:00:00.001Z
  2026-01-02T25:00Z 2026-01-02T23:60Z 2026-01-02T23:59:60Z 2026-01-02T10:00:00.Z 2026-01-02T10:00:00,5Z 2026-01-02T10Z 2026-01-02T
  2026-01-02T10:00+01:00 2026-01-02T10:00-00:00 2026-01-02T10:00+24:00 2026-01-02T10:00+23:59 2026-01-02T10:00-23:59 2026-01-02T10:00+23:60
  2026-01-02T10:00+01 2026-01-02T10:00:00-23:59:59 +002026-01-01 +000000-01-01 -000001-01-01T00:00Z -000001 +010000-01-01T00:00:00Z
  +275760-09-13 +275760-09-13T00:00:00.001Z +275760-09-14 -271821-04-20 -271821-04-19T23:59:59.999Z -271821-04-19 +999999-12-31 -999999-01-01
  0000-01-01 0001-01-01 0099-12-31 9999-12-31T23:59:59.999Z 1969-12-31T23:59:59.9999Z 1969-12-31T23:59:59.999Z 1970-01-01 20260101 2026-W01
  2026-03-08T01:59 2026-03-08T02:00 2026-03-08T02:30 2026-03-08T03:00 2026-11-01T00:59 2026-11-01T01:00 2026-11-01T01:30 2026-11-01T02:00
  2026-03-29T01:59:59.999 2026-03-29T02:00 2026-03-29T02:30 2026-03-29T03:00 2026-10-25T01:59 2026-10-25T02:00 2026-10-25T02:30 2026-10-25T03:00
  2026-04-05T01:59 2026-04-05T02:15 2026-10-04T02:15 2011-12-30T12:00 2011-12-29T23:30 2011-12-31T00:30 1999-06-15T12:00:00`.split(/\s+/);
const lenient = ['2026-01-02T10:00+0100', '-000000-01-01', '2026-1-1', '2026-01-01z', '2026-01-01Z', '2026-01-01t10:00Z', '2026-01-01 10:00Z',
  '+2026-01-01', ' 2026-01-01', '2026-01-01 ', 'Jan 2 2026', '275760-01-01', '1', '2026-01-02T10:00 Z', '2026-01-02T10:00:00Z ', '2026-1', '26-01-02'];
const rows = [];
for (const zone of ['UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kolkata']) {
  process.env.TZ = zone;
  for (const s of iso) rows.push([zone, s, new Date(s).getTime(), '']);
  for (const s of lenient) rows.push([zone, s, new Date(s).getTime(), 'refused']);
}
table('dates.txt', ['zone', 'string', 'new Date(string).getTime()', 'refused or nothing'], rows);

const times = [0, 1, -1, 999, 1000, 1767323045678, -62167219200000, -62167219200001, 253402300799999, 253402300800000, 8.64e15, -8.64e15];
while (times.length < 200) times.push(pick([1, -1]) * random(2 ** 32) * random(2e6));
table('times.txt', ['milliseconds', 'toISOString'], times.map((t) => [t, new Date(t).toISOString()]));
