/** Japanese names of the ISO 639-2 codes that Japanese broadcasts use. */
export const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  jpn: '日本語',
  eng: '英語',
  deu: 'ドイツ語',
  fra: 'フランス語',
  ita: 'イタリア語',
  rus: 'ロシア語',
  zho: '中国語',
  kor: '韓国語',
  spa: 'スペイン語',
  por: 'ポルトガル語',
};
