# The commands of daily work; `just` lists them. Each is an ordinary go command
# that also works without just.

_default:
    @{{ just_executable() }} --list --unsorted

# everything that must hold before a change lands
check:
    .ci/run

# all tests, as in the README
test *args:
    go test ./... {{ args }}

# that it builds on macOS: too long for each change
elsewhere:
    GOOS=darwin go build -o /dev/null ./cmd/worlds

# scenario files: the repository's own, or those named
scripts *files:
    go {{ if files == "" { "test ./testscripts" } else { "run ./cmd/worlds test " + files } }}

# rewrite generated and golden files; read the diff before you commit it
update:
    go generate ./...
    grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u | xargs -I{} go test {} -update

# fuzz each target for a while
fuzz time="30s":
    grep -rnoE --include='*_test.go' '^func Fuzz\w+' . | while IFS=: read -r file _ func; do \
        go test -run '^$' -fuzz "^${func#func }$" -fuzztime {{ time }} "$(dirname "$file")" || exit; done

# benchmarks, with allocations
bench pattern=".":
    go test -run '^$' -bench '{{ pattern }}' -benchmem ./...

# the server beside others, held against its targets (docs/bench.md)
compare *args:
    testscripts/bench/compare {{ args }}

# re-decide a world or an exported journal, and name the first entry that differs
replay +args:
    go run ./cmd/worlds replay {{ args }}
